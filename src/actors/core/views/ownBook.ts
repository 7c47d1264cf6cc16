// The displayed book of a coin as one account finds it: what of each level it has taken before, and where its own orders stand in
// the queue. A view for traders who look at the book; no rule uses it.
import type { Book, MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import { isHeld } from '../account/labState.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { findOrder, firesWhen, isWithinLimit, toView } from '../account/ownOrders.ts';
import { freshMarket } from '../checks/checkForm.ts';
import { availabilityOf } from '../fills/bookLiquidity.ts';
import { displayedAt } from '../fills/takenLiquidity.ts';
import type { OrderTarget, OrderView } from '../messages/order.ts';
import type { ExplainOpenOrderView, OpenReason, OwnLevelView } from '../messages/ownMarket.ts';
import type { AnswerOf } from '../messages/queryAnswer.ts';
import type { FillModel } from '../messages/terms.ts';

/** Own prices of a side that are told, the best ones: a ladder shows fewer. */
const OWN_PRICES_MAX = 50;

/** @param asset.asset id; of a coin without a book only the orders are told */
export function ownBook(
  account: Account,
  asset: number,
  { market, nowMs }: { readonly market: MarketView; readonly nowMs: number },
): AnswerOf<'ownBook'> {
  const book = market.book(asset);
  const prices = market.prices(asset);
  const fresh = freshMarket(market, { asset, nowMs });
  return {
    kind: 'ownBook',
    own: {
      ...(book && { bookTimeMs: book.timeMs, bookWholeMs: book.wholeMs, bookVersion: book.version }),
      ...(prices && { markTimeMs: prices.timeMs }),
      maxAgeMs: market.maxAgeMs,
      ...(fresh.type === 'stale' && { staleAge: fresh.age }),
      bids: levelsOf(account, { asset, bookSide: 'bid', book, market }),
      asks: levelsOf(account, { asset, bookSide: 'ask', book, market }),
    },
  };
}

interface Place {
  readonly asset: number;
  readonly bookSide: 'bid' | 'ask';
  readonly book: Book | undefined;
  readonly market: MarketView;
}

/** Where the account has an order or has taken something, best first. */
function levelsOf(account: Account, place: Place): readonly OwnLevelView[] {
  const { bookSide } = place;
  const byPrice = new Map<string, OwnLevelView>(ownOrdersBy(account, place));
  for (const [price, level] of takenLevels(account, place)) byPrice.set(price, { ...byPrice.get(price), ...level });
  const better = (a: OwnLevelView, b: OwnLevelView): number => new Decimal(a.price).cmp(b.price) * (bookSide === 'bid' ? -1 : 1);
  return [...byPrice.values()].sort(better);
}

/** The own orders of a side, those of one price together. The oldest one is first among them, so the queue before it is told. */
function ownOrdersBy(account: Account, { asset, bookSide, book }: Place): Map<string, OwnLevelView> {
  const side = account.orders.sides.get(asset)?.[bookSide === 'bid' ? 'buy' : 'sell'];
  const byPrice = new Map<string, OwnLevelView & { readonly own: NonNullable<OwnLevelView['own']> }>();
  for (const { oid, price, size } of side?.rows() ?? []) {
    const text = toWire(price);
    const known = byPrice.get(text);
    if (known === undefined && byPrice.size === OWN_PRICES_MAX) break;
    const ahead = account.orders.get(oid)?.resting.ahead ?? 'unknown';
    const own = known?.own ?? { size: '0', orders: 0, ahead };
    const displayed = book && displayedAt(book, bookSide, price);
    byPrice.set(text, {
      price: text,
      ...(displayed && { displayed: toWire(displayed) }),
      own: { ...own, size: toWire(size.plus(own.size)), orders: own.orders + 1 },
    });
  }
  return byPrice;
}

/** Displayed levels of which the account has taken something. */
function takenLevels(account: Account, { asset, bookSide, book, market }: Place): Map<string, OwnLevelView> {
  const levels = new Map<string, OwnLevelView>();
  const ledger = account.consumption.get(asset)?.[bookSide];
  if (book === undefined || ledger === undefined || ledger.size === 0) return levels;
  const place = { asset, bookSide, sizeDecimals: market.asset(asset)?.sizeDecimals ?? 0, book };
  const shown = bookSide === 'bid' ? book.bids : book.asks;
  const availableAt = availabilityOf(account, shown, place);
  for (const level of shown) {
    const { price, displayed, consumed } = availableAt(level);
    if (consumed.eq(ZERO)) continue;
    levels.set(toWire(price), { price: toWire(price), displayed: toWire(displayed), consumed: toWire(consumed) });
  }
  return levels;
}

// Why an order is still open: what would have to happen for it to fill, in the current market. A view for traders who
// miss a paper fill; no rule uses it.

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
