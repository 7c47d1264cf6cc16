// The questions of rules about the account's own open orders: those of one coin and side on the book, in the order in
// which they match (best price first, then the older one, trading-rules 2.1); those that wait for the mark or for
// their parent; and the one that a client names. Waiting orders hold no margin and take no part in matching.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { OrderView, Side } from '../messages/order.ts';
import type { Account, WaitingOrder } from './account.ts';
import type { OpenOrder, Sides } from './openOrderBook.ts';

/** A resting order with its price read. */
export interface RestingOrder {
  readonly order: OpenOrder;
  readonly limitPrice: Decimal;
}

/**
 * Resting orders of one coin and side in price-time order, up to the first whose rough price is no candidate. Those that
 * end while they are gone through are left out.
 */
export function* ownOrders(
  account: Account,
  { asset, side }: { readonly asset: number; readonly side: Side },
  isCandidate: (roughPrice: number) => boolean = () => true,
): Iterable<RestingOrder> {
  for (const { oid, price, rough } of account.orders.sides.get(asset)?.[side].rows() ?? []) {
    if (!isCandidate(rough)) return;
    const order = account.orders.get(oid);
    if (order) yield { order, limitPrice: price };
  }
}

/** The open order that a client names, on the book or waiting. Of several with one cloid the newest (trading-rules 2.6). */
export function findOrder(
  { orders, triggers }: Pick<Account, 'orders' | 'triggers'>,
  target: { readonly oid: number } | { readonly cloid: string },
): OpenOrder | WaitingOrder | undefined {
  if ('oid' in target) return orders.get(target.oid) ?? triggers.get(target.oid);
  const resting = orders.findByCloid(target.cloid);
  const waiting = triggers.findByCloid(target.cloid);
  return resting && waiting && waiting.oid > resting.oid ? waiting : (resting ?? waiting);
}

export const BOTH_SIDES: readonly Side[] = ['buy', 'sell'];

/** Reduce-only orders of a coin on these sides of the book, oldest first. */
export function reduceOnlyOids(orders: Sides | undefined, sides: readonly Side[]): number[] {
  const oids: number[] = [];
  if (orders) for (const side of sides) for (const { oid } of orders[side].reduceOnlyRows()) oids.push(oid);
  return oids.sort((a, b) => a - b);
}

/** Reduce-only orders of a coin and these sides that wait for its mark, or for a newer book, oldest first. */
export function reducingFor({ triggers }: Pick<Account, 'triggers'>, asset: number, sides: readonly Side[]): WaitingOrder[] {
  const found = sides.flatMap((side) => triggers.inGroup({ reducing: asset, side }));
  return sides.length === 1 ? found : found.sort((a, b) => a.oid - b.oid);
}

/** The first so many of them. */
export function bestOrders(account: Account, place: { readonly asset: number; readonly side: Side }, count: number): OpenOrder[] {
  const found: OpenOrder[] = [];
  if (count === 0) return found;
  for (const { order } of ownOrders(account, place)) if (found.push(order) === count) break;
  return found;
}

export const oppositeOf = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');

/** True when a price is at or better than a limit of this side: a buy accepts lower prices, a sell higher ones. */
export function isWithinLimit(
  price: Decimal,
  { side, limitPrice }: { readonly side: Side; readonly limitPrice: Decimal },
): boolean {
  return side === 'buy' ? price.lte(limitPrice) : price.gte(limitPrice);
}

/** Orders that wait for this one to fill, oldest first. */
export function childrenOf({ triggers }: Pick<Account, 'triggers'>, parentOid: number): WaitingOrder[] {
  return triggers.inGroup({ parentOid }).filter(({ waitsFor }) => waitsFor === 'fill');
}

/** Orders of a coin that wait for its mark, oldest first. */
export function waitingForMarkOf({ triggers }: Pick<Account, 'triggers'>, asset: number): WaitingOrder[] {
  return triggers.inGroup({ waitingForMarkOf: asset });
}

/** Orders of a coin that have fired and wait for a newer book, oldest first. */
export function waitingForBookOf({ triggers }: Pick<Account, 'triggers'>, asset: number): WaitingOrder[] {
  return triggers.inGroup({ waitingForBookOf: asset });
}

/** How an open order stands: a market order that its trigger has fired, and that waits for a newer book, is `triggered`. */
export const statusOfOpen = ({ trigger }: Pick<OrderView, 'trigger'>): 'open' | 'triggered' =>
  trigger?.hasFired && trigger.isMarket ? 'triggered' : 'open';

/** Number of open orders, on the book or waiting. */
export function openOrderCount({ orders, triggers }: Pick<Account, 'orders' | 'triggers'>): number {
  return orders.size + triggers.size;
}

/** The client's view of an open order: all of it but its place in the queue. */
export function toView(order: OpenOrder | WaitingOrder): OrderView {
  if ('resting' in order) {
    const { resting: _, ...view } = order;
    return view;
  }
  const { waitsFor: _, fired: __, ...view } = order;
  return view;
}

type Sizes = Pick<OrderView, 'size' | 'originalSize' | 'filledSize' | 'requestedSize'>;

/**
 * The order with so many coins left to fill, or as it is when it has no more than that. It was never to get what it loses, so
 * `origSz - sz` stays what was filled (trading-rules 2.3).
 */
export function cutOrder<Order extends Sizes>(order: Order, size: Decimal): Order {
  if (size.gte(order.size)) return order;
  const { filledSize, originalSize, requestedSize = originalSize } = order;
  return { ...order, size: size.toString(), originalSize: size.plus(filledSize).toString(), requestedSize };
}

// When a trigger order fires: at the first mark at or beyond its trigger, on the side that its kind and side give
// (trading-rules 2.4).

interface TriggerTerms {
  readonly side: Side;
  readonly tpsl: 'tp' | 'sl';
  /** USD per coin. */
  readonly triggerPrice: Decimal;
}

/** Whether the order fires when the mark is at or above its trigger, or at or below: a stop sells low, a take-profit sells high. */
export function firesWhen({
  side,
  trigger: { tpsl },
}: {
  readonly side: Side;
  readonly trigger: { readonly tpsl: 'tp' | 'sl' };
}): 'above' | 'below' {
  return (tpsl === 'tp') === (side === 'sell') ? 'above' : 'below';
}

/** True when the mark is at or beyond the trigger. */
export function isReached({ side, tpsl, triggerPrice }: TriggerTerms, markPrice: Decimal): boolean {
  return firesWhen({ side, trigger: { tpsl } }) === 'above' ? markPrice.gte(triggerPrice) : markPrice.lte(triggerPrice);
}

/**
 * Those of a coin's waiting orders that this mark fires, in the order in which it reached them: by distance from the mark
 * before, then oid. None of them had been reached at the mark before, so of those above it the lowest trigger was the
 * nearest and of those below it the highest; that mark itself need not be known.
 */
export function reachedInOrder(orders: readonly WaitingOrder[], markPrice: Decimal): WaitingOrder[] {
  const reached = orders.flatMap((order) => {
    const triggerPrice = new Decimal(order.trigger.price);
    const isFired = isReached({ side: order.side, tpsl: order.trigger.tpsl, triggerPrice }, markPrice);
    return isFired ? [{ order, triggerPrice, direction: firesWhen(order) }] : [];
  });
  return reached
    .sort((a, b) => {
      if (a.direction !== b.direction) return a.direction === 'below' ? -1 : 1;
      const nearer = a.triggerPrice.cmp(b.triggerPrice);
      return (a.direction === 'above' ? nearer : -nearer) || a.order.oid - b.order.oid;
    })
    .map(({ order }) => order);
}
