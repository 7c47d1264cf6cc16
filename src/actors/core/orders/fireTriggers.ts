// Fires the triggers that a mark has reached (trading-rules 2.4): each in its turn. A fired order keeps its oid and
// goes to the market, where direction, value and margin are checked at that moment. Only a fresh market fires
// anything; on stale data the order keeps waiting. A reduce-only market order that finds no more for a reason of this exchange alone stays
// `triggered`, and tries each newer book.
import { isBeyond } from '../../../market/domain/aggregateBook.ts';
import type { Asset } from '../../../market/domain/asset.ts';
import type { Book, DeepBook } from '../../../market/domain/marketView.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import { childrenOf, isWithinLimit, reachedInOrder, toView, waitingForBookOf, waitingForMarkOf } from '../account/ownOrders.ts';
import { type FreshMarket, freshMarket } from '../checks/checkForm.ts';
import { openingRefusal } from '../checks/checkOpening.ts';
import { checkExecution, fillAtMost } from '../checks/checkOrder.ts';
import { availabilityOf, type BookSide, reachableLevels } from '../fills/bookLiquidity.ts';
import type { Draft } from '../fold/draft.ts';
import { type Context, clockOf } from '../fold/pipeline.ts';
import { closableSize } from '../margin/position.ts';
import type { OrderStatus, OrderView, Side } from '../messages/order.ts';
import type { OutOfReach } from '../messages/queuePlace.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { endAlone, endOrder } from './endOrders.ts';
import { executeOrder, releaseIfDone, waitForBook } from './executeOrder.ts';
import { holdIfWanted, isWithoutPlace, scriptOf } from './underScript.ts';

/**
 * Fires the children that were placed since this event if the mark has reached them already: a position never waits for a
 * stop whose price is past (trading-rules 2.5).
 * @param since how many events there were before
 */
export function fireArmed(
  draft: Draft,
  coin: string,
  { context, since = 0 }: { readonly context: Context; readonly since?: number },
): void {
  if (draft.events.slice(since).some(({ type }) => type === 'triggersArmed')) fireTriggers(draft, coin, context);
}

/** Fires all orders of the coin that its mark has reached; what one does may end the next, or place its own children. */
export function fireTriggers(draft: Draft, coin: string, context: Context): void {
  if (draft.account.triggers.size === 0) return;
  const since = draft.events.length;
  const { market } = context;
  const asset = market.assetOf(coin);
  if (!asset || asset.isDelisted) return;
  const fresh = freshMarket(market, { asset: asset.id, nowMs: clockOf(context) });
  if (fresh.type === 'stale') return;
  for (const { oid } of reachedInOrder(waitingForMarkOf(draft.account, asset.id), fresh.prices.markPrice)) {
    const order = draft.account.triggers.get(oid);
    if (order) fire(draft, order, { asset, fresh, context });
  }
  fireArmed(draft, coin, { context, since });
}

function fire(
  draft: Draft,
  order: WaitingOrder,
  { asset, fresh, context }: { readonly asset: Asset; readonly fresh: FreshMarket; readonly context: Context },
): void {
  const view = firedView(draft, order);
  draft.record({ type: 'orderTriggered', order: view, markPrice: fresh.prices.markPrice.toString() });
  const { side, reduceOnly, timeInForce, trigger } = view;
  assert(timeInForce === 'ioc' || timeInForce === 'gtc', `order ${view.oid} fires as ${timeInForce}`);
  const script = scriptOf(view);
  const originalSize = new Decimal(view.size);
  const atMost = fillAtMost(script, originalSize, asset);
  const checked =
    openingRefusal(draft.account, { asset, reduceOnly, lossMaxUsd: view.lossMaxUsd }, context) ??
    (isWithoutPlace(draft, script) ? rejection('tooManyOpenOrders', { asset: asset.id }) : undefined) ??
    checkExecution(
      draft,
      {
        asset,
        side,
        limitPrice: new Decimal(view.limitPrice),
        originalSize,
        reduceOnly,
        timeInForce,
        fresh,
        isOfAnyValue: trigger?.grouping !== undefined,
        isOpen: true,
        ...(atMost && { fillAtMost: atMost }),
      },
      context.market,
    );
  const waits = reduceOnly && trigger?.isMarket && !atMost ? outOfReach(draft.account, reachOf(view, asset), fresh) : undefined;
  if (checked.type === 'accepted') {
    executeOrder(draft, view, checked, { asset, context, waits });
    holdIfWanted(draft, view.oid, script, context);
    releaseIfDone(draft, view.oid);
    return;
  }
  if (checked.reason === 'nothingToMatch' && waits !== undefined) {
    waitForBook(draft, view, waits);
    return;
  }
  // Only an order that took the place of a modified parent has children.
  const children = childrenOf(draft.account, view.oid);
  draft.record({ type: 'orderEnded', order: view, status: statusOnFiring(checked) });
  for (const child of children) endAlone(draft, child, 'canceled');
}

/** Tries the orders of the coin that have fired and wait for a newer book, oldest first. What finds nothing to take leaves no event. */
export function retryFired(draft: Draft, coin: string, context: Context): void {
  const { market } = context;
  const asset = market.assetOf(coin);
  const waiting = asset && !asset.isDelisted ? waitingForBookOf(draft.account, asset.id) : [];
  if (!asset || waiting.length === 0) return;
  const fresh = freshMarket(market, { asset: asset.id, nowMs: clockOf(context) });
  if (fresh.type === 'stale') return;
  for (const { oid } of waiting) {
    const order = draft.account.triggers.get(oid);
    if (order) retry(draft, draft.current(order), { asset, fresh, context });
  }
}

function retry(
  draft: Draft,
  order: WaitingOrder,
  { asset, fresh, context }: { readonly asset: Asset; readonly fresh: FreshMarket; readonly context: Context },
): void {
  const { oid, side, size, reduceOnly } = order;
  const reach = reachOf(order, asset);
  const checked = checkExecution(
    draft,
    {
      ...{ asset, side, limitPrice: reach.limitPrice, originalSize: new Decimal(size), reduceOnly, timeInForce: 'ioc', fresh },
      ...{ isOfAnyValue: true, isOpen: true },
    },
    context.market,
  );
  if (checked.type === 'accepted') executeOrder(draft, toView(order), checked, { asset, context, waits: 'already' });
  else if (checked.reason !== 'nothingToMatch' || !isAnythingInside(fresh, reach)) {
    if (order.filledSize === '0') endOrder(draft, order, statusOnFiring(checked));
    else endAlone(draft, order, 'canceled');
  }
  releaseIfDone(draft, oid);
}

const reachOf = ({ side, limitPrice }: OrderView, asset: Asset) => ({ side, limitPrice: new Decimal(limitPrice), asset });

/** The order as it goes to the market; one for the whole position gets the size that this has now. */
function firedView(draft: Draft, order: WaitingOrder): OrderView {
  const fired: OrderView = { ...toView(draft.current(order)), trigger: { ...order.trigger, hasFired: true } };
  if (order.size !== '0') return fired;
  const size = closableSize(draft.account, order.asset, order.side).toString();
  return { ...fired, size, originalSize: size };
}

/** An order that was open ends, rather than being refused, for what it has lost since. */
function statusOnFiring({ reason, status }: Rejection): OrderStatus {
  switch (reason) {
    case 'insufficientMargin':
    case 'tierLimit':
      return 'marginCanceled';
    case 'reduceOnlyWouldIncrease':
      return 'reduceOnlyCanceled';
    case 'nothingToMatch':
      return rejection('noLiquidity', {}).status;
    default:
      return status;
  }
}

// What stands inside an order's limit and the account may not take, or cannot see (trading-rules 2.4): reasons of this exchange alone, for
// which the venue would not end an order.

/** The books of a coin, fresh. */
interface Books {
  readonly book: Book;
  readonly deep?: DeepBook;
}

/** Where an order may take. */
interface Reach {
  readonly side: Side;
  readonly limitPrice: Decimal;
}

/**
 * What this exchange alone keeps from an order; undefined where the venue has no more for it either.
 * @param account before the order takes anything
 */
function outOfReach(
  account: Account,
  { side, limitPrice, asset }: Reach & { readonly asset: { readonly id: number; readonly sizeDecimals: number } },
  books: Books,
): OutOfReach | undefined {
  const bookSide = facing(side);
  const levels = reachableLevels(books, bookSide);
  const place = { asset: asset.id, bookSide, sizeDecimals: asset.sizeDecimals, book: books.book };
  const availableAt = availabilityOf(account, levels, place);
  const isTaken = levels.some(
    (level) => isWithinLimit(level.price, { side, limitPrice }) && !availableAt(level).consumed.isZero(),
  );
  if (isTaken) return 'taken';
  return goesBeyond(books, { side, limitPrice }) ? 'beyond' : undefined;
}

/** True when the book shows size inside the limit, whoever has taken it, or may have some beyond what it shows. */
function isAnythingInside(books: Books, { side, limitPrice }: Reach): boolean {
  const [best] = reachableLevels(books, facing(side));
  return (best !== undefined && isWithinLimit(best.price, { side, limitPrice })) || goesBeyond(books, { side, limitPrice });
}

/** True when the limit lies beyond all that is shown of a side that may go on; the aggregated book shows more of it than the displayed one. */
function goesBeyond({ book, deep }: Books, { side, limitPrice }: Reach): boolean {
  const bookSide = facing(side);
  const last = book.shownTo[bookSide];
  if (!book.goesOn[bookSide] || last === undefined || !isBeyond(bookSide, limitPrice, last)) return false;
  const next = (bookSide === 'bid' ? deep?.bids : deep?.asks)?.find(({ price }) => isBeyond(bookSide, price, limitPrice));
  return next === undefined || isBeyond(bookSide, limitPrice, next.from);
}

const facing = (side: Side): BookSide => (side === 'buy' ? 'ask' : 'bid');
