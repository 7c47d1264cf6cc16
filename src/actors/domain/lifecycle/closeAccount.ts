// The account comes to rest for good, or until its owner comes back: nothing is open any more, so it leaves memory, and
// cash and history stay. What has to be liquidated is liquidated first, or a bucket could lose more than it has.
import type { Account } from '../account/account.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { checkLiquidation } from '../liquidation/checkLiquidation.ts';
import { endAll } from '../liquidation/closeEverything.ts';

export function closeAccount(account: Account, context: Context): Decision {
  const draft = new Draft(account, context.nowMs);
  checkLiquidation(draft, context);
  endAll(draft, context, { dropFunding: false });
  return { events: draft.events, plans: draft.plans, outcome: { type: 'done' }, requests: 0 };
}
