// The checks of a whole modify that come before anything happens (trading-rules 2.6): the kind of order that may take
// the place of another, then whatever the order alone decides. Its old order stays when one of them fails. What depends
// on margin or the market is judged when the old order is gone.
import type { Asset } from '../../../market/domain/asset.ts';
import type { Account } from '../account/account.ts';
import { closableSize } from '../margin/position.ts';
import type { OrderRequest } from '../messages/command.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { checkNumbers, exceededValue, type LegalNumbers } from './checkForm.ts';
import { ORDER_VALUE_MIN } from './checkOrder.ts';
import { legalTriggerPrice, type TriggerPlace } from './checkTrigger.ts';
import { isImmediate, type ReadOrder } from './readOrder.ts';

export const MODIFY_REFUSALS = {
  notPostOnly: 'Modify without always_place must place an Alo order, or a Gtc order that does not execute.',
} as const;

/** The order that takes the old one's place: without `alwaysPlace` a Gtc comes as Alo. */
export function replacementOf(request: OrderRequest, { alwaysPlace }: { readonly alwaysPlace: boolean }): OrderRequest {
  const { type } = request;
  if (alwaysPlace || type.kind === 'trigger' || type.timeInForce !== 'gtc') return request;
  return { ...request, type: { kind: 'limit', timeInForce: 'alo' } };
}

/**
 * The refusal that follows from a replacement alone, or undefined. An unknown asset is left to the checks of the target.
 * @param place that the replacement would have, when it is a trigger order
 */
export function modifyRefusal(
  account: Account,
  order: ReadOrder,
  { alwaysPlace, place }: { readonly alwaysPlace: boolean; readonly place: TriggerPlace },
): string | undefined {
  const { type } = order.request;
  if (!alwaysPlace && (type.kind === 'trigger' || type.timeInForce !== 'alo')) return MODIFY_REFUSALS.notPostOnly;
  return order.asset && payloadRefusal(account, order, order.asset, place)?.text;
}

function payloadRefusal(account: Account, order: ReadOrder, asset: Asset, place: TriggerPlace): Rejection | undefined {
  const { type } = order.request;
  const isTrigger = type.kind === 'trigger';
  const numbers = checkNumbers(order, asset, { mayBeZero: isTrigger && place.grouping === 'positionTpsl' });
  if (numbers.type === 'rejected') return numbers;
  const { limitPrice } = numbers;
  if (isTrigger && !legalTriggerPrice(order, { asset, type, limitPrice }))
    return rejection('badTriggerPrice', { asset: asset.id });
  const immediate = isTrigger ? type.isMarket : isImmediate(type.timeInForce);
  const exceeded = exceededValue(numbers, asset, { immediate });
  if (exceeded) return rejection('valueTooLarge', exceeded);
  // An Ioc is worth what it would get, and a child what its group has: the book and the account decide.
  const isDecided = isTrigger ? place.grouping === undefined : !immediate;
  return isDecided && isTooSmall(account, order, asset, numbers) ? rejection('valueTooSmall', { asset: asset.id }) : undefined;
}

/** Below the least value, and not all of what closes the position. */
function isTooSmall(account: Account, { request }: ReadOrder, asset: Asset, { originalSize, limitPrice }: LegalNumbers): boolean {
  if (originalSize.times(limitPrice).gte(ORDER_VALUE_MIN)) return false;
  const closable = closableSize(account, asset.id, request.side);
  return !(originalSize.eq(closable) || (request.reduceOnly && originalSize.gt(closable)));
}
