// Questions about the past that several invariants ask.
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import type { MarginTier } from '../../src/market/domain/asset.ts';
import type { MarketView } from '../../src/market/domain/marketView.ts';
import { Decimal, ZERO } from '../../src/shared/domain/decimal.ts';
import type { OracleCoin } from '../support/marginOracle.ts';

export type Fill = Extract<AccountEvent, { type: 'orderFilled' }>;

export const fillsOf = (events: readonly AccountEvent[]): Fill[] => events.filter((event) => event.type === 'orderFilled');

/** Coins, bought > 0. */
export const signedSizeOf = ({ side, size }: Pick<Fill, 'side' | 'size'>): Decimal =>
  side === 'buy' ? new Decimal(size) : new Decimal(size).neg();

export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = ZERO;
  for (const value of values) total = total.plus(value);
  return total;
};

const TIERS = new WeakMap<readonly MarginTier[], OracleCoin['tiers']>();

/** The coin's margin tiers, as the second bookkeeping reads them. */
export function tiersOf(market: MarketView, asset: number): OracleCoin['tiers'] {
  const tiers = market.asset(asset)?.marginTiers;
  if (!tiers) return [];
  let texts = TIERS.get(tiers);
  if (!texts) {
    texts = tiers.map(({ lowerBound, maxLeverage }) => ({ lowerBound: lowerBound.toFixed(), maxLeverage }));
    TIERS.set(tiers, texts);
  }
  return texts;
}

/** @throws Error with what should be true */
export function demand(isTrue: boolean, what: string | (() => string)): void {
  if (!isTrue) throw new Error(typeof what === 'string' ? what : what());
}

/** @throws Error when the texts differ */
export function same(seen: { toString(): string }, wanted: { toString(): string }, what: string): void {
  demand(seen.toString() === wanted.toString(), () => `${what} is ${seen.toString()} and should be ${wanted.toString()}`);
}
