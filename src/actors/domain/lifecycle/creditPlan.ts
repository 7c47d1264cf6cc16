// What the plan pro has more than basic, as a deposit: once in the life of an account, whoever asks however often.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { Decision } from '../messages/decision.ts';
import { balanceChange } from './balanceChange.ts';

export function creditPlan(account: Account, { usd }: Extract<AccountCommand, { type: 'creditPlan' }>): Decision {
  if (account.isPlanCredited) return { events: [], outcome: { type: 'done' }, requests: 0 };
  return balanceChange(account, new Decimal(usd), { isPlanCredited: true });
}
