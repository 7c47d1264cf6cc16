// GET …/account/overview and …/account/positions: the account at this moment, from one question, so that its figures
// are consistent.

import { Type } from '@sinclair/typebox';
import type { PositionView } from '../../actors/core/messages/accountFigures.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { AccountTerms, toAccountTerms } from '../account/termsFields.ts';
import { askAccount, type Call, type Services } from '../accounts/services.ts';
import {
  type AnswerFor,
  CoinName,
  Count,
  exactly,
  IsoTime,
  MarginMode,
  orNull,
  PlanName,
  WireDecimal,
} from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { PositionSide } from '../contract/venueForms.ts';
import { wireNumber } from '../domain/wireText.ts';

const PositionItem = named(
  'AccountPosition',
  exactly({
    coin: CoinName,
    side: PositionSide,
    size: described(WireDecimal, 'Coins.'),
    entry_price: WireDecimal,
    mark_price: WireDecimal,
    notional: described(WireDecimal, 'USD at the mark.'),
    unrealized_pnl: WireDecimal,
    return_on_equity: WireDecimal,
    leverage: Type.Integer({ minimum: 1 }),
    margin_mode: MarginMode,
    margin_used: WireDecimal,
    liquidation_price: orNull(WireDecimal),
    funding: described(WireDecimal, 'Since the position was opened, USD; > 0 = received.'),
  }),
);

export const Positions = named('PositionList', exactly({ items: Type.Array(PositionItem) }));

export const Overview = named(
  'Overview',
  exactly({
    account_value: WireDecimal,
    balance: described(WireDecimal, 'Account value less unrealized PnL.'),
    margin_used: WireDecimal,
    withdrawable: WireDecimal,
    unrealized_pnl: WireDecimal,
    realized_pnl: WireDecimal,
    fees_paid: WireDecimal,
    funding_paid: described(WireDecimal, '> 0 = paid by the account.'),
    net_deposits: WireDecimal,
    open_orders: Count,
    positions: Type.Array(PositionItem),
    account_terms: AccountTerms,
    plan: PlanName,
    as_of: IsoTime,
  }),
);

export async function readOverview(services: Services, call: Call): Promise<AnswerFor<typeof Overview>> {
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
    account_terms: toAccountTerms(overview.terms),
    plan: call.caller.plan,
    as_of: new Date(state.timeMs).toISOString(),
  };
}

export async function readPositions(services: Services, call: Call): Promise<AnswerFor<typeof Positions>> {
  const { state } = await askAccount(call, services, { kind: 'accountState' });
  return { items: state.positions.map(toPositionItem) };
}

/** `funding` since the position was opened, > 0 = received; the actor's figure counts what was paid. */
const toPositionItem = (position: PositionView): AnswerFor<typeof PositionItem> => ({
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
