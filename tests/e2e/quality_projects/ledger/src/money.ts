export type Currency = "EUR" | "CHF" | "SEK";

export interface Money {
  readonly cents: number;
  readonly currency: Currency;
}

export function money(cents: number, currency: Currency): Money {
  if (!Number.isInteger(cents)) throw new RangeError(`${cents} is not a whole number of cents`);
  return { cents, currency };
}

export function addMoney(left: Money, right: Money): Money {
  if (left.currency !== right.currency) throw new TypeError(`${left.currency} is not ${right.currency}`);
  return money(left.cents + right.cents, left.currency);
}

export function negate(amount: Money): Money {
  return money(-amount.cents, amount.currency);
}

export function formatMoney(amount: Money): string {
  const whole = Math.trunc(amount.cents / 100);
  const rest = Math.abs(amount.cents % 100).toString().padStart(2, "0");
  return `${whole}.${rest} ${amount.currency}`;
}
