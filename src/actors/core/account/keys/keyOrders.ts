// What an account remembers for the limits of API keys: how many orders each key has sent of late, and what the account had gained
// when the UTC day began. Both are state, so they are the same after every restart.
import type { Decimal } from '../../../../shared/domain/decimal.ts';
import { DAY_MS, SECOND_MS } from '../../../../shared/domain/units.ts';

/** Seconds that an order counts beyond its own: any 60 s lie within this second and those. */
const COUNTED_SECONDS = 60;

/** Orders in one second since 1970. */
export interface OrdersInSecond {
  readonly second: number;
  readonly orders: number;
}

/** Oldest first. */
export type OrdersBySecond = readonly OrdersInSecond[];

/** By id of the key; keys that have sent nothing of late are left out. */
export type KeyOrders = ReadonlyMap<string, OrdersBySecond>;

/** The beginning of a UTC day, as far as the account knows one. */
export interface DayStart {
  /** Midnight UTC, ms. */
  readonly startMs: number;
  /** Account value less all deposits, USD: what the account had gained since it was opened. */
  readonly resultUsd: Decimal;
}

export const secondOf = (timeMs: number): number => Math.floor(timeMs / SECOND_MS);

/** Orders of a key that count now. */
export function ordersOfLate(known: KeyOrders | undefined, keyId: string, timeMs: number): number {
  const since = secondOf(timeMs) - COUNTED_SECONDS;
  let sum = 0;
  for (const { second, orders } of known?.get(keyId) ?? []) if (second >= since) sum += orders;
  return sum;
}

/** With one order more. What counts no longer is left out, of every key, so there are never more entries than orders of a minute. */
export function withOrder(known: KeyOrders | undefined, { keyId, second }: { keyId: string; second: number }): KeyOrders {
  const since = second - COUNTED_SECONDS;
  const after = new Map<string, OrdersBySecond>();
  for (const [id, orders] of known ?? []) {
    const counted = orders.filter((each) => each.second >= since);
    if (counted.length > 0) after.set(id, counted);
  }
  const own = after.get(keyId) ?? [];
  const last = own.at(-1);
  const isSame = last?.second === second;
  after.set(keyId, isSame ? [...own.slice(0, -1), { second, orders: last.orders + 1 }] : [...own, { second, orders: 1 }]);
  return after;
}

/** Midnight UTC before this time, ms. */
export const dayStartMs = (timeMs: number): number => timeMs - (timeMs % DAY_MS);

/** When the day after the one that is known begins, ms; undefined while none is. */
export const nextDayMs = (start: DayStart | undefined): number | undefined => start && start.startMs + DAY_MS;
