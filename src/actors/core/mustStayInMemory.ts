// Which accounts must stay in memory without a command: those that the market, the time or a job can change.
import type { Account } from './account/account.ts';
import { owesHours } from './account/fundingAccrual.ts';
import { openOrderCount } from './account/ownOrders.ts';
import { allUnderWay } from './account/subAccounts.ts';

/**
 * True when the account must stay in memory: positions, orders on the book or waiting, TWAPs, a scheduled cancel, actions that wait
 * for their latency, unpaid funding, transfers under way, or commands for its what-ifs. A day that begins is none of it: what a flat account has gained is the
 * same whenever it is asked.
 */
export function mustStayInMemory(account: Account): boolean {
  if (account.positions.size > 0 || openOrderCount(account) > 0) return true;
  if (account.mirrors !== undefined && account.mirrors.waiting.length > 0) return true;
  for (const _ of allUnderWay(account.transfers)) return true;
  if (account.scheduledCancel.dueMs !== undefined || (account.lab?.waiting.length ?? 0) > 0) return true;
  return account.twaps.size > 0 || owesHours(account);
}
