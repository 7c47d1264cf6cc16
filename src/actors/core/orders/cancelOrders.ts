// Cancels orders, each independently: by oid or cloid, and only on the asset named with it. Needs no market data.
import type { Account } from '../account/account.ts';
import { findOrder } from '../account/ownOrders.ts';
import { checkCount } from '../checks/checkAction.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import type { CancelOutcome } from '../messages/answers/commandOutcome.ts';
import type { AccountCommand } from '../messages/command.ts';
import { endOrder } from './endOrders.ts';

export function cancelOrders(
  account: Account,
  { cancels, isFast = false }: Extract<AccountCommand, { type: 'cancelOrders' }>,
  { nowMs }: Context,
): Decision {
  const requests = cancels.length;
  const refusal = checkCount(cancels.length);
  if (refusal !== undefined) return { events: [], outcome: { type: 'refused', text: refusal }, requests };

  const draft = new Draft(account, nowMs);
  const outcomes = cancels.map(({ asset, target }): CancelOutcome => {
    const order = findOrder(draft.account, target);
    if (order === undefined || (asset !== undefined && order.asset !== asset)) {
      const named = asset === undefined ? '' : ` asset=${asset}`;
      return { type: 'error', text: `Order was never placed, already canceled, or filled.${named}` };
    }
    if (isFast && 'waitsFor' in order && order.waitsFor !== 'book') {
      return { type: 'error', text: `Trigger orders cannot be canceled by a fast cancel. asset=${order.asset}` };
    }
    endOrder(draft, order, 'canceled');
    return { type: 'success' };
  });
  return draft.decision({ type: 'cancels', cancels: outcomes }, requests);
}
