// Which accounts must stay in memory without a command: those that the market, the time or a job can change.
import type { Account } from './account/account.ts';
import { owesHours } from './account/fundingAccrual.ts';
import { allUnderWay } from './account/group/transfers.ts';
import { openOrderCount } from './account/ownOrders.ts';
import { nextDueMs } from './scheduled/decideDue.ts';

/** True when the account must stay in memory: positions, orders on the book or waiting, TWAPs, due times, unpaid funding, or transfers under way. */
export function mustStayInMemory(account: Account): boolean {
  if (account.positions.size > 0 || openOrderCount(account) > 0) return true;
  for (const _ of allUnderWay(account.transfers)) return true;
  return account.twaps.size > 0 || nextDueMs(account) !== undefined || owesHours(account);
}
