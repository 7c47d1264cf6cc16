// The questions of rules about the account's own open orders: those of one coin and side on the book, in the order in
// which they match (best price first, then the older one, trading-rules 2.1); those that wait for the mark or for
// their parent; and the one that a client names. Waiting orders hold no margin and take no part in matching.
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { Account, WaitingOrder } from './account.ts';
import type { OpenOrder } from './openOrderBook.ts';

/** A resting order with its price read. */
export interface RestingOrder {
  readonly order: OpenOrder;
  readonly limitPrice: Decimal;
}

/** Resting orders of one coin and side in price-time order, up to the first whose rough price is no candidate. */
export function ownOrders(
  account: Account,
  { asset, side }: { readonly asset: number; readonly side: Side },
  isCandidate: (roughPrice: number) => boolean = () => true,
): RestingOrder[] {
  const found: RestingOrder[] = [];
  for (const { oid, price } of account.orders.sides.get(asset)?.[side].rows ?? []) {
    const order = account.orders.get(oid);
    if (!order || !isCandidate(Number(order.limitPrice))) break;
    found.push({ order, limitPrice: price });
  }
  return found;
}

/** The open order that a client names, on the book or waiting. A cloid is unique among open orders. */
export function findOrder(
  { orders, triggers }: Pick<Account, 'orders' | 'triggers'>,
  target: { readonly oid: number } | { readonly cloid: string },
): OpenOrder | WaitingOrder | undefined {
  if ('oid' in target) return orders.get(target.oid) ?? triggers.get(target.oid);
  const onBook = orders.findByCloid(target.cloid);
  if (onBook || triggers.size === 0) return onBook;
  for (const order of triggers.values()) if (order.cloid === target.cloid) return order;
  return undefined;
}

/** True when a price is at or better than a limit of this side: a buy accepts lower prices, a sell higher ones. */
export function isWithinLimit(
  price: Decimal,
  { side, limitPrice }: { readonly side: Side; readonly limitPrice: Decimal },
): boolean {
  return side === 'buy' ? price.lte(limitPrice) : price.gte(limitPrice);
}

/** Orders that wait for this one to fill, oldest first. */
export function childrenOf({ triggers }: Pick<Account, 'triggers'>, parentOid: number): WaitingOrder[] {
  return waiting(triggers, ({ waitsFor, trigger }) => waitsFor === 'fill' && trigger.parentOid === parentOid);
}

/** Orders of a coin that wait for its mark, oldest first. */
export function waitingForMarkOf({ triggers }: Pick<Account, 'triggers'>, asset: number): WaitingOrder[] {
  return waiting(triggers, (order) => order.waitsFor === 'mark' && order.asset === asset);
}

function waiting(triggers: Account['triggers'], isWanted: (order: WaitingOrder) => boolean): WaitingOrder[] {
  if (triggers.size === 0) return [];
  return [...triggers.values()].filter(isWanted).sort((a, b) => a.oid - b.oid);
}

/** Number of open orders, on the book or waiting. */
export function openOrderCount({ orders, triggers }: Pick<Account, 'orders' | 'triggers'>): number {
  return orders.size + triggers.size;
}
