import type { Item } from "./model.js";
import { format } from "@/text/format";

/** What is bought. */
export interface Cart<T extends Item> extends Iterable<T> {
  readonly items: T[];
  add(item: T, count?: number): void;
}
export type Key = string | number;
export enum State { Open, Paid = 1 }
export abstract class Base<T> implements Cart<T> {
  private cache = new Map<string, T>();
  protected abstract load(): Promise<T>;
  constructor(readonly items: T[]) {}
  public add = (item: T): void => {};
}
export namespace Money { export const zero = 0; }
declare function external(name: string): void;
export function pay<T>(cart: Cart<T>): string;
export function pay(cart: unknown): string { return format(cart); }
const internal: Key = 1;
