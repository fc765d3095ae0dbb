use serde_json::Value;

use crate::cart::Cart;

/// The cart as JSON.
pub fn to_json(cart: &Cart) -> Value {
    Value::from(cart.items.len())
}
