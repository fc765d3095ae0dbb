//! Lamps along a path, lit as long as somebody walks there.

pub mod lamp;
pub mod path;
