pub mod cart;
mod util {
    pub fn inner() {}
}
use crate::cart::{Cart, items::{Item, self}};
use shop_money::{Money, format::*};
use std::collections::HashMap as Map;

/// Pays.
#[must_use]
pub async fn pay<T: Into<Money>>(cart: &Cart, amount: T) -> Result<(), String>
where
    T: Clone,
{
    fn local() {}
    local();
    Ok(())
}

pub const LIMIT: usize = 10;
static COUNT: u32 = 0;
pub type Pairs = Map<String, u32>;
macro_rules! item { ($name:expr) => { $name }; }
