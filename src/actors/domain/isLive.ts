// Who must be in memory though nobody asks: accounts that the market or the time can change.
import type { Account } from './account.ts';
import { nextDueMs } from './decideDue.ts';
import { openOrderCount } from './waitingOrders.ts';

/** True when the account must stay in memory: positions, orders on the book or waiting, or due times. */
export function isLive(account: Account): boolean {
  return account.positions.size > 0 || openOrderCount(account) > 0 || nextDueMs(account) !== undefined;
}
