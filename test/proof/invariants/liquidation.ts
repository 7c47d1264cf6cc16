// Invariants about liquidation: which accounts, when, and what is left. Equity and maintenance are computed here from
// the account's margin pools, in exact rationals.
import type { Account } from '../../../src/actors/core/account/account.ts';
import { evolve } from '../../../src/actors/core/fold/evolve.ts';
import { WritableAccount } from '../../../src/actors/core/fold/writableAccount.ts';
import type { AccountEvent } from '../../../src/actors/core/messages/event.ts';
import { PIPELINE } from '../../../src/features/rules.ts';
import type { FixtureMarket } from '../../support/fixtureMarket.ts';
import { Fraction, NOTHING } from '../../support/fraction.ts';
import { maintenance } from '../../support/marginOracle.ts';
import { demand, tiersOf } from '../facts.ts';
import type { Invariant, Moment } from '../life.ts';

/** `'cross'`, or the asset of an isolated position. */
type PoolKey = 'cross' | number;

interface Health {
  readonly equity: Fraction;
  readonly maintenance: Fraction;
  readonly isFresh: boolean;
  /** Each of its positions could be sold into a usable book when the last mark of any of its coins came. */
  readonly hasBooks: boolean;
}

export const LIQUIDATION: readonly Invariant[] = [
  {
    name: 'invariant 18',
    says: 'a liquidation starts below maintenance at the mark, and nobody with fresh marks and books stays below two thirds of it',
    watch: () => (moment) => {
      const { account, market, entries, events, isNews } = moment;
      if (!isNews) return;
      if (events.some(isOfLiquidation)) {
        const writable = new WritableAccount({ ...moment.before }, 'overlay');
        const begun = new Set<PoolKey>();
        for (const entry of entries) {
          for (const event of entry.events) {
            if (isOfLiquidation(event)) expectInTrouble(writable.account, event, { market, begun });
            evolve(writable, event, entry.timeMs, PIPELINE.evolve);
          }
        }
      }
      for (const key of poolsOf(account)) {
        const { equity, maintenance: needed, isFresh, hasBooks } = healthOf(account, key, market);
        const isLost = equity.times(Fraction.of(3)).compare(needed.times(Fraction.of(2))) < 0;
        demand(!isFresh || !hasBooks || !isLost, () => `pool ${key} is left with ${equity.text()} of ${needed.text()}`);
      }
    },
  },
  {
    name: 'invariant 19',
    says: 'after a liquidation no pool is negative, and what the house took over left exactly nothing',
    watch:
      () =>
      ({ account, before, market, entries, events }) => {
        if (events.some(({ type }) => type === 'positionTakenOver')) expectNothingLeft(before, entries);
        if (!events.some(({ type }) => type === 'liquidated')) return;
        for (const key of poolsOf(account)) {
          const { equity, isFresh, hasBooks } = healthOf(account, key, market);
          demand(!isFresh || !hasBooks || equity.sign() >= 0, () => `pool ${key} has ${equity.text()}`);
        }
      },
  },
];

/** Right after each take-over: an order of the same step may open a position again. */
function expectNothingLeft(before: Account, entries: Moment['entries']): void {
  let isCrossTaken = false;
  const writable = new WritableAccount({ ...before }, 'overlay');
  for (const entry of entries) {
    for (const event of entry.events) {
      evolve(writable, event, entry.timeMs, PIPELINE.evolve);
      const { account } = writable;
      if (event.type === 'positionTakenOver') {
        demand(!account.positions.has(event.asset), `position in ${event.asset} after its take-over`);
        isCrossTaken ||= event.marginMode === 'cross';
      } else if (event.type === 'liquidated') {
        demand(!isCrossTaken || account.cash.isZero(), () => `cash is ${account.cash.toString()} after a take-over`);
        isCrossTaken = false;
      }
    }
  }
}

function isOfLiquidation(event: AccountEvent): boolean {
  return event.type === 'positionTakenOver' || (event.type === 'orderFilled' && event.liquidation !== undefined);
}

/** The first sale or take-over of a pool comes when its equity is below its maintenance. */
function expectInTrouble(
  account: Account,
  event: AccountEvent,
  { market, begun }: { readonly market: Moment['market']; readonly begun: Set<PoolKey> },
): void {
  if (event.type !== 'orderFilled' && event.type !== 'positionTakenOver') return;
  const key = event.marginMode === 'cross' ? 'cross' : event.asset;
  if (begun.has(key)) return;
  begun.add(key);
  const { equity, maintenance: needed } = healthOf(account, key, market);
  demand(equity.compare(needed) < 0, () => `pool ${key} is liquidated with ${equity.text()} of ${needed.text()}`);
}

function poolsOf({ positions }: Account): PoolKey[] {
  const isolated = [...positions.values()].filter(({ marginMode }) => marginMode === 'isolated');
  return ['cross', ...isolated.map(({ asset }) => asset)];
}

function healthOf({ cash, positions }: Account, key: PoolKey, market: FixtureMarket): Health {
  let equity = key === 'cross' ? Fraction.of(cash.toFixed()) : NOTHING;
  let needed = NOTHING;
  let isFresh = true;
  let hasBooks = true;
  let markedMs = 0;
  let bookMs = 0;
  for (const { asset, marginMode, rawUsd, signedSize } of positions.values()) {
    if (key === 'cross' ? marginMode === 'isolated' : asset !== key) continue;
    const prices = market.prices(asset);
    const price = market.settlementPrice(asset) ?? prices?.markPrice;
    const value = Fraction.of(signedSize.toFixed()).times(Fraction.of(price?.toFixed() ?? '0'));
    equity = equity.plus(value).plus(Fraction.of(rawUsd.toFixed()));
    needed = needed.plus(maintenance(value.magnitude(), tiersOf(market, asset)));
    const book = market.book(asset);
    const [bid, ask] = [book?.bids[0]?.price, book?.asks[0]?.price];
    hasBooks &&= book !== undefined && market.nowMs - book.wholeMs <= market.maxAgeMs && !(bid && ask && bid.gte(ask));
    bookMs = Math.max(bookMs, book?.wholeMs ?? 0);
    markedMs = Math.max(markedMs, prices?.timeMs ?? 0);
    isFresh &&= prices !== undefined && market.nowMs - prices.timeMs <= market.maxAgeMs;
  }
  return { equity, maintenance: needed, isFresh, hasBooks: hasBooks && bookMs <= markedMs };
}
