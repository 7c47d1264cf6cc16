// The answer to a question about an account: a function of its state, the market and the time, and of nothing else. So the
// account's owner and an API node that has a view of the same state answer alike.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf, findOrder, statusOfOpen, toView } from '../account/ownOrders.ts';
import type { Asked, FeatureQuestion, Pipeline } from '../fold/pipeline.ts';
import { pendingOfCoin } from '../margin/fundingPayments.ts';
import type { AccountQuery } from '../messages/command.ts';
import { NO_ROWS, type OrderRow } from '../messages/historyRows.ts';
import type { OrderTarget } from '../messages/order.ts';
import type { AnswerOf, QueryAnswer } from '../messages/queryAnswer.ts';
import { allOpenOrders } from '../orders/endOrders.ts';
import { accountState } from './accountState.ts';
import { assetData } from './assetData.ts';
import { overview, summary } from './overview.ts';
import { explainOpenOrder, ownBook } from './ownBook.ts';

/**
 * A dry run needs the rules: `decide` has it. Of `history`, `entries`, `accountView`, and of an order that is `notHere`, the rest is with the actor's shell.
 * @param account with all done that is due
 * @param asked.nowMs the exchange's clock
 */
export function answerQuery(
  account: Account,
  query: Exclude<AccountQuery, { readonly kind: 'dryRun' }>,
  { market, nowMs, pipeline }: Asked & { readonly pipeline: Pick<Pipeline, 'answers'> },
): QueryAnswer {
  switch (query.kind) {
    case 'accountState':
      return { kind: 'accountState', state: accountState(account, market, nowMs) };
    case 'openOrders':
      return openOrders(account);
    case 'assetData':
      return { kind: 'assetData', data: assetData(account, query.asset, market) };
    case 'orderStatus':
      return orderStatus(account, query.target);
    case 'whyOpen':
      return explainOpenOrder(account, query.target, { market, nowMs });
    case 'ownBook':
      return ownBook(account, query.asset, { market, nowMs });
    case 'owedFunding':
      return owedFunding(account, market, nowMs);
    case 'summary':
      return summary(account, market, Math.max(nowMs, account.timeMs));
    case 'overview':
      // Its figures reach to the account's last row, also where a clock that was ahead has dated it.
      return overview(account, market, Math.max(nowMs, account.timeMs));
    case 'entries':
      return {
        kind: 'entries',
        entries: [],
        firstSeq: account.historyStart.seq,
        lastGoneSeqs: account.historyStart.lastSeqs ?? NO_ROWS,
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
      return answerOf(pipeline, query.kind)(account, query, { market, nowMs });
  }
}

/** Each kind has its own answer. The compiler does not know that the answer fits the question. */
const answerOf = ({ answers }: Pick<Pipeline, 'answers'>, kind: FeatureQuestion) =>
  answers[kind] as (account: Account, query: AccountQuery, asked: Asked) => QueryAnswer;

function openOrders(account: Account): AnswerOf<'openOrders'> {
  return { kind: 'openOrders', orders: allOpenOrders(account).map(toView) };
}

/** The client's view of its orders from memory: all open ones, or the one that it names. */
export function orderStatus(account: Account, target: OrderTarget): AnswerOf<'orderStatus'> {
  const order = findOrder(account, target);
  return {
    kind: 'orderStatus',
    found: order ? openRow(account, order) : 'notHere',
    firstRow: account.historyStart.firstRows.orders,
  };
}

function openRow(account: Account, order: OpenOrder | WaitingOrder): OrderRow {
  const children = childrenOf(account, order.oid).map(toView);
  return {
    order: toView(order),
    status: statusOfOpen(order),
    timeMs: ('fired' in order ? order.fired?.timeMs : undefined) ?? order.placedAtMs,
    ...(children.length > 0 && { children }),
  };
}

/**
 * Funding that an account owes or is owed and that no settlement has paid yet (trading-rules 6.4), coin by coin in the order of the
 * listing. A view for traders; the payments themselves are made by `payFunding`.
 */
function owedFunding(account: Account, market: MarketView, nowMs: number): AnswerOf<'owedFunding'> {
  const coins = [...account.funding]
    .sort(([a], [b]) => a - b)
    .flatMap(([asset, { coin, owed }]) => {
      const position = account.positions.get(asset);
      if (position === undefined && owed.length === 0) return [];
      const usd = toWire(pendingOfCoin(account, asset, market));
      return { coin, signedSize: toWire(position?.signedSize ?? ZERO), usd };
    });
  return { kind: 'owedFunding', coins, timeMs: nowMs };
}
