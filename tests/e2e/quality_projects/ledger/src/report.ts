import { Account, type Entry } from "./account.js";
import { addMoney, formatMoney, money, type Currency } from "./money.js";

export function reportLine(entry: Entry): string {
  return `${entry.day}  ${entry.text.padEnd(30)} ${formatMoney(entry.amount)}`;
}

export function reportDay(day: string, accounts: Account[]): string[] {
  const lines: string[] = [];
  for (const account of accounts) {
    const entries = account.entriesOf(day);
    if (entries.length === 0) continue;
    lines.push(account.name);
    for (const entry of entries) lines.push(reportLine(entry));
  }
  return lines;
}

export function totalOf(accounts: Account[], currency: Currency): string {
  const sums = accounts.filter((account) => account.currency === currency).map((account) => account.balance());
  return formatMoney(sums.reduce(addMoney, money(0, currency)));
}
