// What an account remembers for its limits: those of its address, of its API keys, and its house rules.

import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { AccountLimits, LimitName, RuleAct } from '../../../shared/domain/limits.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../shared/domain/units.ts';
import type { Breach } from '../messages/queryAnswer.ts';

// How many actions an account may send (trading-rules 1.8): 10,000 and one for each USD that it has traded, less what it has sent
// beyond those that it has paid for. The count is state, so it is the same after every restart.

/** Actions of an account that has traded nothing. */
const REQUESTS_INITIAL = 10_000;

/** What an account remembers of its limit beside the count of its requests. */
export interface AddressLimit {
  /** Requests that are paid for. */
  readonly reserved: number;
  /** When the next action beyond the limit is let through, ms. */
  readonly nextAtMs: number;
}

export const NOT_LIMITED: AddressLimit = { reserved: 0, nextAtMs: 0 };

/** The numbers of `userRateLimit`. */
interface RequestCount {
  /** Sent beyond those that are paid for. */
  readonly used: number;
  readonly cap: number;
  /** Paid for and not sent yet. */
  readonly surplus: number;
}

/** @param requestsUsed all that were ever sent, an action of n orders or cancels counted n times */
export function requestCount({
  requestsUsed,
  requestsReserved,
  volumeUsd,
}: {
  readonly requestsUsed: number;
  readonly requestsReserved: number;
  readonly volumeUsd: Decimal;
}): RequestCount {
  return {
    used: Math.max(0, requestsUsed - requestsReserved),
    cap: REQUESTS_INITIAL + volumeUsd.floor().toNumber(),
    surplus: Math.max(0, requestsReserved - requestsUsed),
  };
}

/** The same of an account. */
export function requestCountOf({
  totals,
  addressLimit = NOT_LIMITED,
}: {
  readonly totals: { readonly requestsUsed: number; readonly volumeUsd: Decimal };
  readonly addressLimit?: AddressLimit | undefined;
}): RequestCount {
  return requestCount({ ...totals, requestsReserved: addressLimit.reserved });
}

// What an account remembers for the limits of API keys: how many orders each key has sent of late, and what the account had gained
// when the UTC day began. Both are state, so they are the same after every restart.

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

// What an account remembers of its house rules: the rules, the highest that it has gained under them, and which are broken. It is state
// made of journalled events, so a restart judges as before.

export interface LimitsState {
  readonly rules: AccountLimits;
  /** The highest that the account has gained under the rules, USD: its value less deposits. */
  readonly peakUsd: Decimal;
  /** How much of its peak the account was when the last of its money went; until money comes again. */
  readonly shareKept?: Decimal | undefined;
  /** Up to when beginnings and ends of the hours have been seen. */
  readonly turnedMs: number;
  /** Oldest first; one of each rule, of `coins` one of each coin. */
  readonly breaches: readonly Breach[];
}

export const actOf = ({ rules }: LimitsState, rule: LimitName): RuleAct | undefined => rules[rule]?.act;

export const breachOf = ({ breaches }: LimitsState, rule: LimitName, coin?: string): Breach | undefined =>
  breaches.find((breach) => breach.rule === rule && breach.coin === coin);

export const withoutBreaches = (house: LimitsState, rule: LimitName): LimitsState => ({
  ...house,
  breaches: house.breaches.filter((breach) => breach.rule !== rule),
});

/** After a reset the account has gained nothing. What is broken stays so: a key may reset an account, and lifts no rule of its owner by it. */
export const limitsAfterReset = (house: LimitsState): LimitsState => ({ ...house, peakUsd: ZERO });

type Hours = NonNullable<AccountLimits['hours']>;

export function isOutside({ fromMinute, toMinute }: Hours, timeMs: number): boolean {
  const minute = Math.floor((timeMs % DAY_MS) / MINUTE_MS);
  if (fromMinute < toMinute) return minute < fromMinute || minute >= toMinute;
  return minute >= toMinute && minute < fromMinute;
}

/** When the hours next begin or end, ms; undefined without hours. */
export function nextTurnMs(house: LimitsState | undefined): number | undefined {
  const hours = house?.rules.hours;
  if (house === undefined || hours === undefined) return undefined;
  const dayMs = house.turnedMs - (house.turnedMs % DAY_MS);
  const turns = [hours.fromMinute, hours.toMinute].flatMap((minute) => {
    const todayMs = dayMs + minute * MINUTE_MS;
    return [todayMs, todayMs + DAY_MS];
  });
  return Math.min(...turns.filter((turnMs) => turnMs > house.turnedMs));
}
