// What an account remembers of its liquidation (trading-rules 5.4): no second order into the same book, and for half a
// minute after a partial one only orders for whole positions.

import type { WritableAccount } from '../fold/writableAccount.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Account } from './account.ts';

/** After an order for a part of a position, the next ones are for all of it so long. */
export const COOLDOWN_MS = 30_000;

export interface LiquidationMemory {
  /** Until then orders are for whole positions; 0 = there was no partial one. */
  readonly cooldownUntilMs: number;
  /** Upstream time of the book that the last order of each open position went to: unlike a version it survives a restart. */
  readonly bookTimesMs: ReadonlyMap<number, number>;
}

type Fill = Extract<AccountEvent, { type: 'orderFilled' }>;

export function isCoolingDown({ liquidation }: Pick<Account, 'liquidation'>, nowMs: number): boolean {
  return liquidation !== undefined && nowMs < liquidation.cooldownUntilMs;
}

/** True when an order was sent into this book, or into a newer one. */
export function hasTried({ liquidation }: Pick<Account, 'liquidation'>, asset: number, bookTimeMs: number): boolean {
  return bookTimeMs <= (liquidation?.bookTimesMs.get(asset) ?? Number.NEGATIVE_INFINITY);
}

/** Remembers a fill of a liquidation order. */
export function rememberAttempt(writable: WritableAccount, { asset, evidence, liquidation }: Fill): void {
  const before = writable.account.liquidation;
  const bookTimesMs = new Map(before?.bookTimesMs);
  if (evidence.bookTimeMs !== undefined) bookTimesMs.set(asset, evidence.bookTimeMs);
  const cooldownUntilMs = liquidation?.cooldownUntilMs ?? before?.cooldownUntilMs ?? 0;
  writable.account.liquidation = { cooldownUntilMs, bookTimesMs };
}

/** Forgets the book of a position that is gone, and everything once nothing is left that could matter. */
export function forgetAttempts(writable: WritableAccount, asset: number, timeMs: number): void {
  const before = writable.account.liquidation;
  if (before === undefined) return;
  const bookTimesMs = new Map(before.bookTimesMs);
  bookTimesMs.delete(asset);
  const matters = bookTimesMs.size > 0 || timeMs < before.cooldownUntilMs;
  writable.account.liquidation = matters ? { ...before, bookTimesMs } : undefined;
}
