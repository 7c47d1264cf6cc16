// The starting balance that a user chooses: cash becomes exactly that, and one ledger row shows the difference.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { openOrderCount } from '../account/waitingOrders.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { Decision } from '../messages/decision.ts';
import { balanceChange } from './balanceChange.ts';

const NOT_AT_REST = 'Close all positions and cancel all orders and TWAPs before setting the balance.';

export function setBalance(account: Account, { balanceUsd }: Extract<AccountCommand, { type: 'setBalance' }>): Decision {
  const isAtRest = account.positions.size === 0 && openOrderCount(account) === 0 && account.twaps.size === 0;
  if (!isAtRest) return { events: [], outcome: { type: 'refused', text: NOT_AT_REST }, requests: 0 };
  return balanceChange(account, new Decimal(balanceUsd).minus(account.cash));
}
