import defaultCart, { add as plus, remove } from "./items";
import * as money from "@shop/money";
import "./styles.css";
export { total } from "./items/total.js";
const { readFile } = require("fs");
const legacy = require("./legacy");

// Tax in percent.
export const TAX = 19;

/**
 * Pays the cart.
 * @param cart the cart
 */
export async function pay(cart, { tip = 0 } = {}) {
  function local() {}
  const helper = () => 1;
  return local(helper);
}

export default class Cart extends defaultCart {
  #secret = 1;
  size = 0;
  static of(...items) { return new Cart(items); }
  get total() { return 0; }
  discount = (percent) => percent;
}

const hidden = function* () {};
export const arrow = (a, b) => a + b;
function listed() {}
export { listed };
