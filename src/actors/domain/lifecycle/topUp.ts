// Fresh money for an account that has lost nearly everything: up to the balance of its plan (specification 8). Account
// value counts, not cash: the cash of an account with positions is no measure of what it has.
import { Decimal, halfUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { accountValue } from '../margin/margin.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { Context, Decision } from '../messages/decision.ts';
import { balanceChange } from './balanceChange.ts';

/** USD of account value from which there is no top-up. */
const WORTH_MAX = new Decimal(100);

/** An account of the plan pro has the plan's credit with it. */
export function topUp(
  account: Account,
  { plan, balanceUsd }: Extract<AccountCommand, { type: 'topUp' }>,
  { market }: Context,
): Decision {
  const worth = accountValue(account, market);
  if (worth.gte(WORTH_MAX)) {
    return { events: [], outcome: { type: 'refused', text: 'Balance too high for reset' }, requests: 0 };
  }
  const usd = halfUp(new Decimal(balanceUsd).minus(worth), USD_DECIMALS);
  return balanceChange(account, usd, { isPlanCredited: plan === 'pro' });
}
