// Liquidation, step by step (trading-rules 5.3, 5.4). Each pocket below its maintenance margin loses its orders, then its
// positions go to the book one after the other until it is safe, and below two thirds of maintenance the house takes the
// rest. Runs at the end of everything that can bring a pocket there: fills, funding, margin removed, a new mark.
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import {
  hasFreshMarks,
  healthOf,
  isForBackstop,
  isLiquidatable,
  type Pocket,
  type PocketHealth,
  type PocketKey,
  pocketKeys,
  pocketOf,
} from '../margin/marginPool.ts';
import { leverageOf, maintenanceOf, valuationOf } from '../margin/positionMargin.ts';
import type { AccountEvent } from '../messages/event.ts';
import { endOrders, endTwaps } from '../orders/endOrders.ts';
import { sellToBook } from './liquidationOrder.ts';
import { settlePending } from './payFunding.ts';
import { takeOver } from './takeOver.ts';

/** Liquidates what must be, isolated pockets first. A pocket with a mark that is not fresh waits. */
export function checkLiquidation(draft: Draft, context: Context): void {
  for (const key of pocketKeys(draft.account)) liquidate(draft, key, context);
}

function liquidate(draft: Draft, key: PocketKey, context: Context): void {
  const { market, nowMs } = context;
  const found = pocketOf(draft.account, key);
  if (!isLiquidatable(healthOf(found, market)) || !hasFreshMarks(found, market, nowMs)) return;

  settlePending(draft, context, { assets: fundedBy(draft.account, key) });
  const { account } = draft;
  const before = pocketOf(account, key);
  const health = healthOf(before, market);
  if (!isLiquidatable(health)) return;

  const isConcerned = ({ asset }: { readonly asset: number }) => belongsTo(asset, { account, key, context });
  endOrders(draft, isConcerned, 'liquidatedCanceled');
  endTwaps(draft, isConcerned, { status: 'terminated' });
  const waiting = largestFirst(before, context);
  const touched = new Set<number>();
  let lossUsd = ZERO;
  for (;;) {
    const pocket = pocketOf(draft.account, key);
    const left = healthOf(pocket, market);
    if (!isLiquidatable(left)) break;
    if (isForBackstop(left)) {
      // An hour whose rate nobody knows yet goes with the pocket: nothing is left that could pay it.
      settlePending(draft, context, { assets: fundedBy(draft.account, key), drop: true });
      takeOver(draft, pocket, { health: left, context });
      for (const { asset } of pocket.positions) touched.add(asset);
      lossUsd = left.equity.isNeg() ? left.equity.neg() : ZERO;
      break;
    }
    const next = waiting.shift();
    if (!next) break;
    if (sellToBook(draft, next, { health: left, account, context })) touched.add(next.asset);
  }
  if (touched.size > 0 || !lossUsd.isZero()) draft.record(liquidated(before, { health, touched, lossUsd }, context));
}

/** Coins whose pending funding this pocket pays or gets: its positions', and for cross what closed ones have left. */
function fundedBy({ funding, positions }: Account, key: PocketKey): number[] {
  if (key !== 'cross') return [key];
  return [...funding.keys()].filter((asset) => positions.get(asset)?.marginMode !== 'isolated').sort((a, b) => a - b);
}

/** True for the isolated coin, or for every coin that is traded cross. */
function belongsTo(
  asset: number,
  { account, key, context }: { readonly account: Account; readonly key: PocketKey; readonly context: Context },
): boolean {
  if (key !== 'cross') return asset === key;
  const known = context.market.asset(asset);
  const { marginMode } = account.positions.get(asset) ?? (known ? leverageOf(account, known) : { marginMode: 'cross' });
  return marginMode === 'cross';
}

/** By maintenance margin, then by asset id. */
function largestFirst({ positions }: Pocket, { market }: Context): Position[] {
  return [...positions].sort((a, b) => maintenanceOf(b, market).cmp(maintenanceOf(a, market)) || a.asset - b.asset);
}

/** What is told of the liquidation: the positions that it touched, as they were before it. */
function liquidated(
  { key, positions }: Pocket,
  {
    health,
    touched,
    lossUsd,
  }: { readonly health: PocketHealth; readonly touched: ReadonlySet<number>; readonly lossUsd: Decimal },
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
