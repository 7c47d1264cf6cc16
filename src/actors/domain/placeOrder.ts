// One order, placed: judged, then recorded on the draft as fills, rest or end. A refused order leaves nothing but the
// record of its refusal.
import type { Asset } from '../../market/domain/asset.ts';
import { cutTo, type Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { consumptionAfter } from './consumption.ts';
import type { Context } from './decision.ts';
import type { Draft } from './draft.ts';
import { fillEvent } from './fillEvent.ts';
import type { OrderStatus, OrderView } from './history.ts';
import { type AcceptedOrder, judgeOrder } from './judgeOrder.ts';
import { aheadOnArrival } from './makerQueue.ts';
import { isImmediate } from './marketPrice.ts';
import { endOrder } from './openOrder.ts';
import type { OrderOutcome } from './outcome.ts';
import { priceDecimals } from './priceGrid.ts';
import type { ReadOrder } from './readOrder.ts';
import { followPosition } from './reduceOnly.ts';
import { type Rejection, rejection } from './rejection.ts';
import type { Take } from './walkBook.ts';

/** Places one order and says what became of it. An unknown asset leaves no record: there is no coin to file it under. */
export function placeOrder(draft: Draft, order: ReadOrder, context: Context): OrderOutcome {
  const { asset, request } = order;
  if (!asset) return { type: 'error', text: rejection('unknownAsset', { asset: request.asset }).text };
  const placed = placeKnown(draft, order, asset, context);
  return placed.type === 'rejected' ? { type: 'error', text: placed.text } : placed;
}

/** Places an order of an asset that exists. A refusal is given with its reason. */
export function placeKnown(draft: Draft, order: ReadOrder, asset: Asset, context: Context): OrderOutcome | Rejection {
  const oid = context.ids.next();
  const { account } = draft;
  const judged = judgeOrder(account, order, asset, context);
  const view = viewOf(order, asset, { oid, nowMs: context.nowMs });
  if (judged.type === 'rejected') {
    draft.record({ type: 'orderEnded', order: view, status: judged.status });
    return judged;
  }
  const hasFollowers = account.orders.size > 0 || account.twaps.size > 0;
  return execute(draft, view, judged, { asset, context, hasFollowers });
}

function execute(
  draft: Draft,
  view: OrderView,
  { walk, fills, ledger, size, limitPrice, fresh }: AcceptedOrder,
  { asset, context, hasFollowers }: { asset: Asset; context: Context; hasFollowers: boolean },
): OrderOutcome {
  const { oid, cloid, side, timeInForce } = view;
  for (const own of walk.selfTrades) endOrder(draft, own, 'selfTradeCanceled');
  for (const plan of fills.fills) {
    const { execution } = plan;
    const evidence = {
      bookTimeMs: fresh.book.timeMs,
      bookVersion: fresh.book.version,
      displayed: execution.displayed.toString(),
      consumed: execution.consumed.toString(),
    };
    draft.record(fillEvent({ order: view, tid: context.ids.next(), plan, liquidity: 'taker', evidence }));
  }
  const consumption = consumptionAfter(walk.takes, ledger);
  if (consumption) draft.record(consumption);
  if (walk.takes.length > 0 && hasFollowers) followPosition(draft, asset.id);

  const filled = size.minus(walk.left);
  const totalSize = filled.toString();
  const final: OrderView = { ...view, size: walk.left.toString(), filledSize: totalSize };
  if (walk.left.isZero() || (timeInForce !== 'liquidationMarket' && isImmediate(timeInForce))) {
    const status: OrderStatus = walk.left.isZero() ? 'filled' : 'canceled';
    draft.record({ type: 'orderEnded', order: final, status });
  } else {
    const resting = {
      ahead: aheadOnArrival(fresh.book, side, limitPrice),
      acceptedFeedTimeMs: context.market.feedTimeMs(asset.id),
      acceptedTick: context.market.tick,
    };
    draft.record({ type: 'orderRested', order: final, resting });
  }

  const named = { oid, ...(cloid !== undefined && { cloid }) };
  if (filled.isZero()) return { type: 'resting', ...named };
  const averagePrice = averageOf(walk.takes, filled, asset).toString();
  return { type: 'filled', ...named, totalSize, averagePrice };
}

/** USD per coin, cut to the decimals of a price. */
function averageOf(takes: readonly Take[], filled: Decimal, { sizeDecimals }: Asset): Decimal {
  const [first, ...others] = takes;
  if (first && others.length === 0) return first.price;
  const cost = takes.reduce((sum, take) => sum.plus(take.price.times(take.size)), ZERO);
  return cutTo(cost.div(filled), priceDecimals(sizeDecimals));
}

/** The order as it is recorded before anything has happened to it; numbers that can be read lose their padding. */
function viewOf(
  { request, size, limitPrice, twapId }: ReadOrder,
  asset: Asset,
  { oid, nowMs }: { oid: number; nowMs: number },
): OrderView {
  const requested = size?.toString() ?? request.size;
  return {
    oid,
    ...(request.cloid !== undefined && { cloid: request.cloid }),
    asset: asset.id,
    coin: asset.coin,
    side: request.side,
    limitPrice: limitPrice?.toString() ?? request.limitPrice,
    size: requested,
    originalSize: requested,
    filledSize: '0',
    reduceOnly: request.reduceOnly,
    timeInForce: request.type.timeInForce,
    placedAtMs: nowMs,
    ...(twapId !== undefined && { twapId }),
  };
}
