// The starting balance that a user chooses: cash becomes exactly that, and one ledger row shows the difference.
import { Decimal } from '../../shared/domain/decimal.ts';
import type { Account } from './account.ts';
import { balanceChange } from './balanceChange.ts';
import type { AccountCommand } from './command.ts';
import type { Decision } from './decision.ts';
import { openOrderCount } from './waitingOrders.ts';

const NOT_AT_REST = 'Close all positions and cancel all orders and TWAPs before setting the balance.';

export function setBalance(account: Account, { balanceUsd }: Extract<AccountCommand, { type: 'setBalance' }>): Decision {
  const isAtRest = account.positions.size === 0 && openOrderCount(account) === 0 && account.twaps.size === 0;
  if (!isAtRest) return { events: [], outcome: { type: 'refused', text: NOT_AT_REST }, requests: 0 };
  return balanceChange(account, new Decimal(balanceUsd).minus(account.cash));
}
