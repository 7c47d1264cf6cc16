// Applies public trades to the account's resting orders (trading-rules 3.2). Each trade is a budget that the orders
// on the passive side share in price-time order. A trade through an order's price fills it; a trade at the price
// first uses up the queue ahead. What a trade takes from a level has really gone, and counts as taken no more. Each order carries its fill
// model (3.6).
import type { MarketTrade, TradesChange } from '../../../market/domain/feed.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { ownOrders } from '../account/ownOrders.ts';
import { isAfterAcceptance, isSamePlace, passQueue, type QueuePlace } from '../fills/queuePosition.ts';
import { takenAfterTrades } from '../fills/takenLiquidity.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import type { FillEvidence } from '../messages/historyRows.ts';
import type { QueueText } from '../messages/queuePlace.ts';
import { fillResting } from './fillResting.ts';

export function matchTrades(draft: Draft, { coin, tick, trades }: TradesChange, context: Context): void {
  const asset = context.market.assetOf(coin);
  if (!asset) return;
  const once = [...new Map(trades.toReversed().map((trade) => [trade.tid, trade])).values()].reverse();
  for (const bookSide of draft.account.consumption.has(asset.id) ? (['bid', 'ask'] as const) : []) {
    const consumption = takenAfterTrades(draft.account, once, { asset: asset.id, bookSide });
    if (consumption) draft.record(consumption);
  }
  for (const trade of once) matchTrade(draft, { asset: asset.id, tick, trade }, context);
}

function matchTrade(
  draft: Draft,
  { asset, tick, trade }: { readonly asset: number; readonly tick: string; readonly trade: MarketTrade },
  context: Context,
): void {
  const side = trade.side === 'buy' ? 'sell' : 'buy';
  const price = new Decimal(trade.price);
  const rough = Number(trade.price);
  const orders = ownOrders(draft.account, { asset, side }, (limit) => (side === 'buy' ? limit >= rough : limit <= rough));
  const moved: Moved[] = [];
  const size = new Decimal(trade.size);
  let budget = size;

  for (const { order, limitPrice } of orders) {
    const { oid, resting } = order;
    const isThrough = !price.eq(limitPrice);
    // A trade through an order proves that nothing is ahead of it, even when others took all of the trade.
    if (budget.isZero() && !isThrough) break;
    if (!draft.account.orders.has(oid) || !isAfterAcceptance(resting, { timeMs: trade.timeMs, tick })) continue;
    // Places in the queue are followed under every fill model.
    const { model } = resting;
    const passed = isThrough ? { place: AT_THE_FRONT, budget } : passQueue(resting, { budget, size, timeMs: trade.timeMs });
    if (isThrough ? resting.ahead !== AT_THE_FRONT.ahead : !isSame(passed.place, resting)) moved.push([oid, passed.place]);
    // Under `touch` the queue takes no part of the trade.
    if (model !== 'touch') budget = passed.budget;
    if (budget.isZero() || (model === 'pessimistic' && !isThrough)) continue;
    const evidence: FillEvidence = {
      tradeTid: trade.tid,
      tradePrice: trade.price,
      tradeSize: trade.size,
      tradeTimeMs: trade.timeMs,
      tradeLeft: budget.toString(),
      tick,
      queueAhead: resting.ahead,
      ...(model && { model }),
    };
    budget = budget.minus(fillResting(draft, { oid, limitPrice, sizeMax: budget, evidence }, context));
  }
  moveQueue(draft, asset, moved);
}

const AT_THE_FRONT: QueuePlace = { ahead: '0' };

const isSame = (a: QueuePlace, b: QueuePlace): boolean => isSamePlace(a, b) && a.takenOff === b.takenOff;

/** The place of an order after a market event. */
export type Moved = readonly [oid: number, place: QueuePlace];

/** Records new queue positions of orders that are still open. */
export function moveQueue(draft: Draft, asset: number, moved: readonly Moved[]): void {
  const ahead = moved.filter(([oid]) => draft.account.orders.has(oid)).map(([oid, place]) => toText(oid, place));
  if (ahead.length > 0) draft.record({ type: 'queueMoved', asset, ahead });
}

function toText(oid: number, { ahead, shown, takenOff }: QueuePlace): QueueText {
  if (takenOff !== undefined) return [oid, ahead, shown ?? null, takenOff];
  return shown === undefined ? [oid, ahead] : [oid, ahead, shown];
}
