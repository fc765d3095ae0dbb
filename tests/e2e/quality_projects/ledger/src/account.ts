import { addMoney, formatMoney, money, negate, type Currency, type Money } from "./money.js";

export interface Entry {
  readonly day: string;
  readonly text: string;
  readonly amount: Money;
}

export class Account {
  private readonly entries: Entry[] = [];

  constructor(readonly name: string, readonly currency: Currency) {}

  book(day: string, text: string, amount: Money): void {
    if (amount.currency !== this.currency) throw new TypeError(`${this.name} is kept in ${this.currency}`);
    this.entries.push({ day, text, amount });
  }

  balance(): Money {
    return this.entries.map((entry) => entry.amount).reduce(addMoney, money(0, this.currency));
  }

  entriesOf(day: string): Entry[] {
    return this.entries.filter((entry) => entry.day === day);
  }

  describe(): string {
    return `${this.name}: ${formatMoney(this.balance())}`;
  }
}

export function transfer(day: string, from: Account, to: Account, amount: Money): void {
  from.book(day, `to ${to.name}`, negate(amount));
  to.book(day, `from ${from.name}`, amount);
}
