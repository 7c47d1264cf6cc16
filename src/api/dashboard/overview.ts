// GET …/account/overview and …/account/positions: the account at this moment, out of one question, so that its figures fit
// together.
import type { PositionView } from '../../actors/domain/outcome.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { askAccount } from '../accountQuery.ts';
import type { Call, Services } from '../call.ts';
import { wireNumber } from '../wireText.ts';

export async function readOverview(services: Services, call: Call) {
  const { overview } = await askAccount(call, services, { kind: 'overview' });
  const { state } = overview;
  return {
    account_value: wireNumber(state.marginSummary.accountValue),
    balance: wireNumber(overview.balance),
    margin_used: wireNumber(state.marginSummary.totalMarginUsed),
    withdrawable: wireNumber(state.withdrawable),
    unrealized_pnl: wireNumber(overview.unrealizedPnl),
    realized_pnl: wireNumber(overview.realizedPnlUsd),
    fees_paid: wireNumber(overview.feesUsd),
    funding_paid: negated(overview.fundingUsd),
    net_deposits: wireNumber(overview.netDepositsUsd),
    open_orders: overview.openOrders,
    positions: state.positions.map(toPositionItem),
    plan: call.caller.plan,
    as_of: new Date(state.timeMs).toISOString(),
  };
}

export async function readPositions(services: Services, call: Call) {
  const { state } = await askAccount(call, services, { kind: 'accountState' });
  return { items: state.positions.map(toPositionItem) };
}

/** `funding` since the position was opened, > 0 = received; the actor's figure counts what was paid. */
const toPositionItem = (position: PositionView) => ({
  coin: position.coin,
  side: position.signedSize.startsWith('-') ? 'short' : 'long',
  size: wireNumber(position.signedSize.replace(/^-/, '')),
  entry_price: wireNumber(position.entryPrice),
  mark_price: wireNumber(position.markPrice),
  notional: wireNumber(position.positionValue),
  unrealized_pnl: wireNumber(position.unrealizedPnl),
  return_on_equity: wireNumber(position.returnOnEquity),
  leverage: position.leverage.value,
  margin_mode: position.leverage.type,
  margin_used: wireNumber(position.marginUsed),
  liquidation_price: position.liquidationPrice === null ? null : wireNumber(position.liquidationPrice),
  funding: negated(position.funding.sinceOpen),
});

const negated = (text: string): string => toWire(new Decimal(text).neg());
