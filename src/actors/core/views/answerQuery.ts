// The answer to a question about an account: a function of its state, the market and the time, and of nothing else. So the
// account's owner and an API node that has a view of the same state answer alike.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { unreachable } from '../../../shared/domain/assert.ts';
import type { Account } from '../account/account.ts';
import { toTwapView } from '../account/twap.ts';
import type { QueryAnswer } from '../messages/answers/queryAnswer.ts';
import type { AccountQuery } from '../messages/command.ts';
import { noRows } from '../messages/historyRows.ts';
import { accountState } from './accountState.ts';
import { assetData } from './assetData.ts';
import { delayedAction } from './delayedAction.ts';
import { explainOpenOrder } from './explainOpenOrder.ts';
import { groupMember, subAccounts } from './group.ts';
import { houseRules } from './houseRules.ts';
import { openOrders, orderStatus } from './openOrders.ts';
import { overview } from './overview.ts';
import { owedFunding } from './owedFunding.ts';
import { ownBook } from './ownBook.ts';
import { summary } from './summary.ts';

/**
 * A dry run needs the rules: `decide` has it. Of `history`, `entries`, `accountView`, and of an order that is `notHere`, the rest is with the actor's shell.
 * @param account with all done that is due
 * @param asked.nowMs the exchange's clock
 */
export function answerQuery(
  account: Account,
  query: Exclude<AccountQuery, { readonly kind: 'dryRun' }>,
  { market, nowMs }: { readonly market: MarketView; readonly nowMs: number },
): QueryAnswer {
  switch (query.kind) {
    case 'accountState':
      return { kind: 'accountState', state: accountState(account, market, nowMs) };
    case 'openOrders':
      return openOrders(account);
    case 'runningTwaps':
      return { kind: 'runningTwaps', twaps: [...account.twaps.values()].map(toTwapView) };
    case 'assetData':
      return { kind: 'assetData', data: assetData(account, query.asset, market) };
    case 'orderStatus':
      return orderStatus(account, query.target);
    case 'whyOpen':
      return explainOpenOrder(account, query.target, { market, nowMs });
    case 'ownBook':
      return ownBook(account, query.asset, { market, nowMs });
    case 'delayedAction':
      return delayedAction(account, query.number);
    case 'houseRules':
      return houseRules(account, market);
    case 'owedFunding':
      return owedFunding(account, market, nowMs);
    case 'summary':
      return summary(account, market, Math.max(nowMs, account.timeMs));
    case 'overview':
      // Its figures reach to the account's last row, also where a clock that was ahead has dated it.
      return overview(account, market, Math.max(nowMs, account.timeMs));
    case 'subAccounts':
      return subAccounts(account);
    case 'groupMember':
      return groupMember(account, market, Math.max(nowMs, account.timeMs));
    case 'entries':
      return {
        kind: 'entries',
        entries: [],
        firstSeq: account.historyStart.seq,
        lastGoneSeqs: account.historyStart.lastSeqs ?? noRows(),
      };
    case 'history':
      // The rows themselves are with the shell: entries that MongoDB may not have yet.
      return {
        kind: 'history',
        rows: [],
        total: account.rowCounts[query.rows],
        first: account.historyStart.firstRows[query.rows],
        held: { from: account.rowCounts[query.rows] },
      };
    case 'accountView':
      return { kind: 'accountView', view: undefined };
    default:
      return unreachable(query);
  }
}
