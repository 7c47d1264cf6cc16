// Why an order is still open: what would have to happen for it to fill, in the current market. A view for traders who
// miss a paper fill; no rule uses it.
import type { Book, MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import { isHeld } from '../account/lab/labState.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { findOrder, isWithinLimit, toView } from '../account/ownOrders.ts';
import { firesWhen } from '../account/triggerPrice.ts';
import { freshMarket } from '../checks/checkForm.ts';
import { availabilityOf } from '../fills/bookLiquidity.ts';
import type { ExplainOpenOrderView, OpenReason } from '../messages/answers/ownMarket.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';
import type { OrderTarget } from '../messages/command.ts';
import type { FillModel } from '../messages/fork/terms.ts';
import type { OrderView } from '../messages/historyRows.ts';

/** What stands in the way of an open order; `undefined` for one that is not open. */
export function explainOpenOrder(
  account: Account,
  target: OrderTarget,
  { market, nowMs }: { readonly market: MarketView; readonly nowMs: number },
): AnswerOf<'whyOpen'> {
  const order = findOrder(account, target);
  return { kind: 'whyOpen', why: order && explain(account, order, { market, nowMs }) };
}

function explain(
  account: Account,
  order: OpenOrder | WaitingOrder,
  { market, nowMs }: { readonly market: MarketView; readonly nowMs: number },
): ExplainOpenOrderView {
  const book = market.book(order.asset);
  const fresh = freshMarket(market, { asset: order.asset, nowMs });
  const way = 'resting' in order ? onBook(account, order, { book, market }) : beside(account, order, { book, market });
  return {
    order: toView(order),
    ...way,
    ...(fresh.type === 'stale' && { reason: 'staleMarket', age: fresh.age }),
    ...(book && { bookTimeMs: book.timeMs, bookVersion: book.version }),
    bestBid: priceText(book?.bids[0]?.price),
    bestAsk: priceText(book?.asks[0]?.price),
    markPrice: priceText(market.prices(order.asset)?.markPrice),
  };
}

function onBook(
  account: Account,
  order: OpenOrder,
  { book, market }: { readonly book: Book | undefined; readonly market: MarketView },
): Pick<ExplainOpenOrderView, 'reason' | 'queue'> {
  const reachable = book ? reachableOf(account, order, { book, market }) : NOTHING;
  const { ahead, acceptedFeedTimeMs, acceptedTick, model = 'queue' } = order.resting;
  return {
    reason: isHeld(account.lab, order.oid) ? 'heldByLab' : reasonOf(model, ahead, reachable),
    queue: {
      ahead,
      model,
      acceptedFeedTimeMs,
      acceptedTick,
      displayedAtLimit: toWire(reachable.displayed),
      consumedAtLimit: toWire(reachable.consumed),
    },
  };
}

function beside(
  account: Account,
  order: WaitingOrder,
  { book, market }: { readonly book: Book | undefined; readonly market: MarketView },
): Pick<ExplainOpenOrderView, 'reason' | 'trigger' | 'fired'> {
  const { price, parentOid } = order.trigger;
  const trigger = { price, firesWhen: firesWhen(order), ...(parentOid !== undefined && { parentOid }) };
  if (order.fired === undefined) return { reason: order.waitsFor === 'fill' ? 'waitsForParent' : 'waitsForMark', trigger };
  const { timeMs, outOfReach } = order.fired;
  const { displayed, consumed } = book ? reachableOf(account, order, { book, market }) : NOTHING;
  return {
    reason: outOfReach === 'taken' ? 'firedIntoTaken' : 'firedBeyondShown',
    trigger,
    fired: { timeMs, displayed: toWire(displayed), consumed: toWire(consumed) },
  };
}

/** Opposite liquidity at the limit or better: the displayed size, and what of it the account has taken. */
interface Reachable {
  readonly displayed: Decimal;
  readonly consumed: Decimal;
}

const NOTHING: Reachable = { displayed: ZERO, consumed: ZERO };

function reasonOf(model: FillModel, ahead: string, { displayed }: Reachable): OpenReason {
  if (model === 'pessimistic') return 'waitsForBeyond';
  if (!displayed.isZero()) return 'alreadyTaken';
  if (model === 'touch') return 'frontOfQueue';
  if (ahead === 'unknown') return 'outOfSight';
  return ahead === '0' ? 'frontOfQueue' : 'inQueue';
}

function reachableOf(
  account: Account,
  { asset, side, limitPrice: limit }: OrderView,
  { book, market }: { readonly book: Book; readonly market: MarketView },
): Reachable {
  const limitPrice = new Decimal(limit);
  let displayed = ZERO;
  let consumed = ZERO;
  const place = {
    asset,
    bookSide: side === 'buy' ? 'ask' : 'bid',
    book,
    sizeDecimals: market.asset(asset)?.sizeDecimals ?? 0,
  } as const;
  const shown = side === 'buy' ? book.asks : book.bids;
  const availableAt = availabilityOf(account, shown, place);
  for (const level of shown) {
    if (!isWithinLimit(level.price, { side, limitPrice })) break;
    displayed = displayed.plus(level.size);
    consumed = consumed.plus(availableAt(level).consumed);
  }
  return { displayed, consumed };
}

const priceText = (price: Decimal | undefined): string | null => (price ? toWire(price) : null);
