// When a trigger order fires: at the first mark at or beyond its trigger, on the side that its kind and side give
// (trading-rules 2.4).
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { WaitingOrder } from './account.ts';

export interface TriggerTerms {
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
