// The answer to a question about an account: a function of its state, the market and the time, and of nothing else. So the
// account's owner and an API node that has a view of the same state answer alike.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { unreachable } from '../../../shared/domain/assert.ts';
import { toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf, findOrder, statusOfOpen, toView } from '../account/ownOrders.ts';
import { toTwapView } from '../account/twap.ts';
import { drawdownOf, lossOfDay, percentOf, resultOf } from '../margin/drawdown.ts';
import { pendingOfCoin } from '../margin/fundingPayments.ts';
import type { AccountQuery } from '../messages/command.ts';
import { noRows, type OrderRow } from '../messages/historyRows.ts';
import type { OrderTarget } from '../messages/order.ts';
import type { AnswerOf, QueryAnswer } from '../messages/queryAnswer.ts';
import { allOpenOrders } from '../orders/endOrders.ts';
import { accountState } from './accountState.ts';
import { assetData } from './assetData.ts';
import { groupMember, overview, subAccounts, summary } from './overview.ts';
import { explainOpenOrder, ownBook } from './ownBook.ts';

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
      return limitsAnswer(account, market);
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

/** The house rules of an account, how far it is from them, and which are broken. */
function limitsAnswer(account: Account, market: MarketView): AnswerOf<'houseRules'> {
  const { house } = account;
  if (house === undefined) return { kind: 'houseRules', house: undefined };
  const { rules, breaches } = house;
  const resultUsd = resultOf(account, market);
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  const lost = lossOfDay(account, resultUsd);
  return {
    kind: 'houseRules',
    house: {
      ...{ rules, breaches },
      ...(rules.dailyLoss && { lostUsd: toWire(lost) }),
      ...(rules.drawdown && ofUsd.gt(0) && { drawdownPercent: percentOf(fallUsd, ofUsd) }),
    },
  };
}

/** What became of an action that had to wait for its latency: its sender asks from its time on. */
function delayedAction({ lab }: Account, number: number): AnswerOf<'delayedAction'> {
  const kind = 'delayedAction';
  if (lab?.waiting.some((action) => action.number === number)) return { kind, found: 'waiting' };
  return { kind, found: lab?.decided.find((action) => action.number === number)?.outcome ?? 'gone' };
}
