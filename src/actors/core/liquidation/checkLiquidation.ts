// Liquidation, step by step (trading-rules 5.3, 5.4). A margin pool below its maintenance margin first loses its
// orders. Then its positions go to the book one after the other until it is safe. When each has had its chance and the pool
// is below two thirds of maintenance, the house takes the rest. The check runs after everything that can bring a pool there:
// fills, funding, removed margin, a new mark.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { freshMarket } from '../checks/checkForm.ts';
import type { Draft } from '../fold/draft.ts';
import { type Context, clockOf } from '../fold/pipeline.ts';
import { factsOf } from '../history/eventFacts.ts';
import {
  hasFreshMarks,
  healthOf,
  isForBackstop,
  isLiquidatable,
  leverageOf,
  type MarginPool,
  type MarginPoolHealth,
  type MarginPoolKey,
  marginPoolKeys,
  marginPoolOf,
  valuationOf,
} from '../margin/positionMargin.ts';
import type { AccountEvent } from '../messages/event.ts';
import { endOrders, endTwaps } from '../orders/endOrders.ts';
import { sendLiquidationOrder, takeOver } from './liquidationSteps.ts';
import { payPendingFunding } from './payFunding.ts';

/** Liquidates the pools that need it, isolated ones first. A pool with a stale mark waits. */
export function checkLiquidation(draft: Draft, context: Context): void {
  for (const key of marginPoolKeys(draft.account)) liquidate(draft, key, context);
}

function liquidate(draft: Draft, key: MarginPoolKey, context: Context): void {
  const { market } = context;
  const found = marginPoolOf(draft.account, key);
  if (!isLiquidatable(healthOf(found, market)) || !hasFreshMarks(found, market, clockOf(context))) return;

  payPendingFunding(draft, context, { assets: fundedBy(draft.account, key) });
  const { account } = draft;
  const before = marginPoolOf(account, key);
  const health = healthOf(before, market);
  if (!isLiquidatable(health)) return;

  const isConcerned = ({ asset }: { readonly asset: number }) => belongsTo(asset, { account, key, context });
  endOrders(draft, isConcerned, 'liquidatedCanceled');
  endTwaps(draft, isConcerned, { status: 'terminated' });
  const waiting = byAsset(before);
  const touched = new Set<number>();
  let lossUsd = ZERO;
  for (;;) {
    const pool = marginPoolOf(draft.account, key);
    const left = healthOf(pool, market);
    if (!isLiquidatable(left)) break;
    const next = waiting.shift();
    if (next) {
      if (sendLiquidationOrder(draft, next, { health: left, account, context })) touched.add(next.asset);
    } else if (isForBackstop(left) && hasFreshBooks(pool, { market, nowMs: clockOf(context) })) {
      // An hour without a known rate is dropped with the pool: nothing is left that could pay it. Those behind it are paid first.
      payPendingFunding(draft, context, { assets: fundedBy(draft.account, key), drop: true });
      const last = marginPoolOf(draft.account, key);
      const lastHealth = healthOf(last, market);
      if (!isForBackstop(lastHealth)) continue;
      takeOver(draft, last, { health: lastHealth, context });
      for (const { asset } of pool.positions) touched.add(asset);
      lossUsd = lastHealth.equity.isNeg() ? lastHealth.equity.neg() : ZERO;
      break;
    } else break;
  }
  if (touched.size > 0 || !lossUsd.isZero()) draft.record(liquidated(before, { health, touched, lossUsd }, context));
}

/** Coins whose pending funding this pool pays or gets: its positions', and for cross also those of closed ones. */
function fundedBy({ funding, positions }: Account, key: MarginPoolKey): number[] {
  if (key !== 'cross') return [key];
  return [...funding.keys()].filter((asset) => positions.get(asset)?.marginMode !== 'isolated').sort((a, b) => a - b);
}

/** True for the isolated coin, or for every coin that is traded cross. */
function belongsTo(
  asset: number,
  { account, key, context }: { readonly account: Account; readonly key: MarginPoolKey; readonly context: Context },
): boolean {
  if (key !== 'cross') return asset === key;
  const known = context.market.asset(asset);
  const { marginMode } = account.positions.get(asset) ?? (known ? leverageOf(account, known) : { marginMode: 'cross' });
  return marginMode === 'cross';
}

/** By asset id, whatever each has gained or lost. */
const byAsset = ({ positions }: MarginPool): Position[] => [...positions].sort((a, b) => a.asset - b.asset);

/** The event of a liquidation: the positions that it touched, as they were before it. */
function liquidated(
  { key, positions }: MarginPool,
  {
    health,
    touched,
    lossUsd,
  }: { readonly health: MarginPoolHealth; readonly touched: ReadonlySet<number>; readonly lossUsd: Decimal },
  { market, ids }: Context,
): AccountEvent {
  const liquidatedPositions = positions.filter(({ asset }) => touched.has(asset)).sort((a, b) => a.asset - b.asset);
  const notional = liquidatedPositions.reduce((sum, position) => sum.plus(valuationOf(position, market).notional), ZERO);
  return {
    type: 'liquidated',
    lid: ids.next(),
    marginMode: key === 'cross' ? 'cross' : 'isolated',
    notional: notional.toString(),
    accountValue: health.equity.toString(),
    positions: liquidatedPositions.map(({ coin, signedSize }) => ({ coin, signedSize: signedSize.toString() })),
    ...(!lossUsd.isZero() && { houseLossUsd: lossUsd.toString() }),
    ...(positions.length === 0 && { paidUsd: lossUsd.toString() }),
  };
}

/** True when one of these events can bring a pool below its maintenance margin. */
export function changesBalances(events: readonly AccountEvent[]): boolean {
  return events.some((event) => factsOf(event).margin === 'moved');
}

// Accounts whose liquidation waits for data. No pool is judged by a stale mark, and the house takes nothing that no fresh book
// has been asked for (trading-rules 5.4): so one coin whose feed stands still spares the whole cross account. Operators see how
// many accounts that are.

interface Now {
  readonly market: MarketView;
  readonly nowMs: number;
}

/**
 * True when a margin pool is below its maintenance margin with every coin at its last known mark and cannot be judged, because one
 * of them is too old; or when only an unusable book keeps the house from taking it. The cash has what a stale coin cost in it, so
 * that coin is counted at its last mark and not left out.
 */
export function liquidationWaits(account: Pick<Account, 'cash' | 'positions'>, now: Now): boolean {
  return marginPoolKeys(account).some((key) => poolWaits(marginPoolOf(account, key), now));
}

function poolWaits(pool: MarginPool, now: Now): boolean {
  const health = healthOf(pool, now.market);
  if (!isLiquidatable(health)) return false;
  if (!hasFreshMarks(pool, now.market, now.nowMs)) return true;
  return isForBackstop(health) && !hasFreshBooks(pool, now);
}

/**
 * False while the book of any of its positions is missing, old or crossed: the first mark after an outage is a gap, and the house
 * takes nothing that no book has been asked for.
 */
function hasFreshBooks({ positions }: MarginPool, { market, nowMs }: Now): boolean {
  return positions.every(({ asset }) => freshMarket(market, { asset, nowMs }).type === 'fresh');
}
