pub mod format;
pub struct Money;
