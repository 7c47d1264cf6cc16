// Closes an account for good, or until its owner comes back: all that is open ends, the account leaves memory, and
// cash and history stay. Liquidations come first, or an isolated position could lose more than its margin.
import type { Account } from '../account/account.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { checkLiquidation } from '../liquidation/checkLiquidation.ts';
import { closeEverything } from '../liquidation/closeEverything.ts';

export function closeAccount(account: Account, context: Context): Decision {
  const draft = new Draft(account, context.nowMs);
  checkLiquidation(draft, context);
  closeEverything(draft, context, { dropFunding: false });
  if (draft.account.lab !== undefined && draft.account.lab.waiting.length > 0) draft.record({ type: 'delayedActionsDropped' });
  return draft.decision({ type: 'done' }, 0);
}
