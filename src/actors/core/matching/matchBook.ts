// Applies a newer book to the account (trading-rules 3.2): taken liquidity shrinks with the book, orders move up with
// their queues, and an order that the opposite side has crossed without a visible trade is filled at its limit.
import type { Asset } from '../../../market/domain/asset.ts';
import type { Book } from '../../../market/domain/marketView.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { isWithinLimit, ownOrders, type RestingOrder } from '../account/ownOrders.ts';
import { freshMarket } from '../checks/checkForm.ts';
import { type AvailableLevel, availabilityOf, type LedgerPlace, takenAfterFills } from '../fills/bookLiquidity.ts';
import { isAfterAcceptance, isSamePlace, placeAfterBook } from '../fills/queuePosition.ts';
import { takenAfterBook } from '../fills/takenLiquidity.ts';
import type { Draft } from '../fold/draft.ts';
import { type Context, clockOf } from '../fold/pipeline.ts';
import type { FillEvidence } from '../messages/historyRows.ts';
import type { Side } from '../messages/order.ts';
import { fillResting } from './fillResting.ts';
import { type Moved, moveQueue } from './matchTrades.ts';

export function matchBook(draft: Draft, coin: string, context: Context): void {
  const { market } = context;
  const asset = market.assetOf(coin);
  const book = asset && market.book(asset.id);
  if (!asset || !book) return;

  const feedTimeMs = market.feedTimeMs(asset.id);
  for (const bookSide of ['bid', 'ask'] as const) {
    const { id, sizeDecimals } = asset;
    const consumption = takenAfterBook(draft.account, book, { asset: id, bookSide, feedTimeMs, sizeDecimals });
    if (consumption) draft.record(consumption);
  }
  if (draft.account.orders.size === 0) return;
  for (const side of ['buy', 'sell'] as const) moveUp(draft, { asset, side, book });
  if (freshMarket(market, { asset: asset.id, nowMs: clockOf(context) }).type === 'stale') return;
  for (const side of ['buy', 'sell'] as const) fillCrossed(draft, { asset, side, book }, context);
}

interface SideOfBook {
  readonly asset: Asset;
  /** Of the own orders. */
  readonly side: Side;
  readonly book: Book;
}

function moveUp(draft: Draft, { asset, side, book }: SideOfBook): void {
  const moved: Moved[] = [];
  const { sizeDecimals } = asset;
  for (const { order, limitPrice } of ownOrders(draft.account, { asset: asset.id, side })) {
    if (order.resting.ahead === '0' || !isAfterAcceptance(order.resting, book)) continue;
    const place = placeAfterBook(order.resting, book, { side, limitPrice, sizeDecimals });
    if (!isSamePlace(place, order.resting)) moved.push([order.oid, place]);
  }
  moveQueue(draft, asset.id, moved);
}

function fillCrossed(draft: Draft, { asset, side, book }: SideOfBook, context: Context): void {
  const levels = side === 'buy' ? book.asks : book.bids;
  const [best] = levels;
  if (!best) return;
  const rough = best.price.toNumber();
  const crossed = ownOrders(draft.account, { asset: asset.id, side }, (limit) =>
    side === 'buy' ? limit >= rough : limit <= rough,
  );
  for (const { order: before, limitPrice } of crossed) {
    // A fill before this one may have ended the order, or cut it when it is reduce-only.
    const order = draft.account.orders.get(before.oid);
    if (!order || !isAfterAcceptance(order.resting, book)) continue;
    fillFromBook(draft, { order, limitPrice }, { asset, side, book }, context);
  }
}

/** Fills an order that nothing could fill until now, where the book has crossed its limit: also the book on which it came to rest. */
export function fillReleased(draft: Draft, oid: number, context: Context): void {
  const { market } = context;
  const order = draft.account.orders.get(oid);
  assert(order, `order ${oid} is held and not open`);
  const { side } = order;
  const asset = market.asset(order.asset);
  const book = market.book(order.asset);
  if (!asset || !book || freshMarket(market, { asset: asset.id, nowMs: clockOf(context) }).type === 'stale') return;
  fillFromBook(draft, { order, limitPrice: new Decimal(order.limitPrice) }, { asset, side, book }, context);
}

/** One fill at the limit for all that the account still finds up to it; its levels count as taken, best first. */
function fillFromBook(
  draft: Draft,
  { order, limitPrice }: RestingOrder,
  { asset, side, book }: SideOfBook,
  context: Context,
): void {
  const place: LedgerPlace = {
    asset: asset.id,
    bookSide: side === 'buy' ? 'ask' : 'bid',
    feedTimeMs: context.market.feedTimeMs(asset.id),
  };
  const { model } = order.resting;
  const shown = side === 'buy' ? book.asks : book.bids;
  const levels = shown
    .filter(({ price }) => isWithinLimit(price, { side, limitPrice }) && !(model === 'pessimistic' && price.eq(limitPrice)))
    .map(availabilityOf(draft.account, shown, { ...place, sizeDecimals: asset.sizeDecimals, book }));
  const available = levels.reduce((sum, level) => sum.plus(level.available), ZERO);
  if (available.isZero()) return;

  const takes = takeBestFirst(levels, Decimal.min(available, order.size));
  const evidence: FillEvidence = {
    bookTimeMs: book.timeMs,
    bookVersion: book.version,
    displayed: levels.reduce((sum, level) => sum.plus(level.displayed), ZERO).toString(),
    consumed: levels.reduce((sum, level) => sum.plus(level.consumed), ZERO).toString(),
    levels: takes.map((take) => [text(take.price), text(take.displayed), text(take.consumed), text(take.size)] as const),
    queueAhead: order.resting.ahead,
    ...(model && { model }),
  };
  const filled = fillResting(draft, { oid: order.oid, limitPrice, sizeMax: available, evidence }, context);
  const consumption = filled.isZero() ? undefined : takenAfterFills(takes, place);
  if (consumption) draft.record(consumption);
}

const text = (value: Decimal): string => value.toString();

function takeBestFirst(levels: readonly AvailableLevel[], size: Decimal): (AvailableLevel & { readonly size: Decimal })[] {
  let left = size;
  return levels.flatMap((level) => {
    const taken = Decimal.min(left, level.available);
    left = left.minus(taken);
    return taken.isZero() ? [] : [{ ...level, size: taken }];
  });
}
