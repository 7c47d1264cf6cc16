// May this order be placed, and what would it do at once? The checks stand in the order of trading-rules 1.7 and the first
// that fails answers: form first, then its largest value, then what it would do on the market.
import type { Asset } from '../../../market/domain/asset.ts';
import type { Account } from '../account/account.ts';
import type { TimeInForce } from '../messages/command.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { type AcceptedOrder, judgeExecution } from './checkExecution.ts';
import { judgeForm, type OrderContext } from './checkForm.ts';
import { isImmediate } from './limitPrice.ts';
import { orderValueMax } from './orderLimits.ts';
import type { ReadOrder } from './readOrder.ts';

/** Judges one limit order for an asset that exists. */
export function judgeOrder(
  account: Account,
  order: ReadOrder,
  { asset, timeInForce }: { readonly asset: Asset; readonly timeInForce: TimeInForce },
  context: OrderContext,
): AcceptedOrder | Rejection {
  const form = judgeForm(account, order, asset, context);
  if (form.type === 'rejected') return form;
  const { originalSize, limitPrice, fresh } = form;

  const maxUsd = orderValueMax(asset, { immediate: isImmediate(timeInForce) });
  if (originalSize.times(limitPrice).gt(maxUsd)) return rejection('valueTooLarge', { maxUsd: `$${maxUsd}` });

  const { side, reduceOnly } = order.request;
  const isOfAnyValue = order.twapId !== undefined;
  const wanted = { asset, side, limitPrice, originalSize, reduceOnly, timeInForce, fresh, isOfAnyValue };
  return judgeExecution(account, wanted, context.market);
}
