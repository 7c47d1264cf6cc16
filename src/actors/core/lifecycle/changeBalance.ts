// Deposits and withdrawals of an account as a whole: a balance that the user chooses, a top-up for an account that
// has lost nearly everything (specification 8), and the credit of the plan pro. Each is one event, one ledger row,
// and an answer with both figures: the balance is that of the overview, account value less unrealized PnL.
import { Decimal, halfUp, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { openOrderCount } from '../account/ownOrders.ts';
import { refused } from '../checks/checkAction.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { payPendingFunding } from '../liquidation/payFunding.ts';
import { accountValue, balanceOf } from '../margin/margin.ts';
import type { AccountCommand } from '../messages/command.ts';

const NOT_AT_REST = 'Close all positions and cancel all orders and TWAPs before setting the balance.';
/** USD of account value from which there is no top-up. */
const WORTH_MAX = new Decimal(100);

/**
 * Cash becomes exactly this; one ledger row shows the difference. Hours that are owed from positions of before are settled first,
 * and dropped without a known rate: no later settlement moves the balance that was chosen.
 */
export function setBalance(
  account: Account,
  { balanceUsd }: Extract<AccountCommand, { type: 'setBalance' }>,
  context: Context,
): Decision {
  const isAtRest = account.positions.size === 0 && openOrderCount(account) === 0 && account.twaps.size === 0;
  if (!isAtRest) return refused(NOT_AT_REST, 0);
  const draft = new Draft(account, context);
  payPendingFunding(draft, context, { drop: true });
  const { events, outcome } = balanceChange(draft.account, new Decimal(balanceUsd).minus(draft.account.cash));
  for (const event of events) draft.record(event);
  return draft.decision(outcome, 0);
}

/**
 * Deposits up to the balance of the plan. Account value counts, not cash, which says little while positions are open. An
 * account of the plan pro then counts as credited.
 */
export function topUp(
  account: Account,
  { plan, balanceUsd }: Extract<AccountCommand, { type: 'topUp' }>,
  { market }: Context,
): Decision {
  const worth = accountValue(account, market);
  if (worth.gte(WORTH_MAX)) return refused('Balance too high for reset', 0);
  const usd = halfUp(new Decimal(balanceUsd).minus(worth), USD_DECIMALS);
  return balanceChange(account, usd, { isPlanCredited: plan === 'pro' });
}

/** Once in the life of an account, however often the command comes. */
export function creditPlan(account: Account, { usd }: Extract<AccountCommand, { type: 'creditPlan' }>): Decision {
  if (account.isPlanCredited) return { events: [], outcome: { type: 'done' }, requests: 0 };
  return balanceChange(account, new Decimal(usd), { isPlanCredited: true });
}

/** @param usd to deposit, negative to withdraw; 0 changes nothing */
function balanceChange(account: Account, usd: Decimal, { isPlanCredited = false } = {}): Decision {
  const balance = halfUp(balanceOf(account).plus(usd), USD_DECIMALS);
  const outcome = { type: 'balanceChanged', balanceUsd: toWire(balance), changeUsd: toWire(usd) } as const;
  if (usd.isZero()) return { events: [], outcome, requests: 0 };
  const event = { type: 'balanceAdjusted', usd: usd.toString(), ...(isPlanCredited && { isPlanCredited }) } as const;
  return { events: [event], outcome, requests: 0 };
}
