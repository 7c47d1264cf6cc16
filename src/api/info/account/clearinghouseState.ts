// `clearinghouseState`: equity, margin and positions of the account at this moment.
import type { AccountStateView, MarginSummary, PositionView } from '../../../actors/domain/messages/outcome.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { wireNumber } from '../../http/wireText.ts';
import { ClearinghouseState } from '../answerSchemas.ts';
import { accountType, DexField, requireMainDex } from '../infoType.ts';

export async function readClearinghouseState(call: Call, services: Services) {
  return toClearinghouseState((await askAccount(call, services, { kind: 'accountState' })).state);
}

const CONTRACT = {
  about: 'Equity, margin and positions of the account at this moment.',
  fields: { dex: DexField },
  answers: ClearinghouseState,
};

export const clearinghouseState = accountType('clearinghouseState', CONTRACT, (request, call, services) => {
  requireMainDex(request);
  return readClearinghouseState(call, services);
});

export const toClearinghouseState = (state: AccountStateView) => ({
  marginSummary: toSummary(state.marginSummary),
  crossMarginSummary: toSummary(state.crossMarginSummary),
  crossMaintenanceMarginUsed: wireNumber(state.crossMaintenanceMarginUsed),
  withdrawable: wireNumber(state.withdrawable),
  assetPositions: state.positions.map((position) => ({ type: 'oneWay' as const, position: toPosition(position) })),
  time: state.timeMs,
});

const toSummary = (summary: MarginSummary) => ({
  accountValue: wireNumber(summary.accountValue),
  totalNtlPos: wireNumber(summary.totalNotional),
  totalRawUsd: wireNumber(summary.totalRawUsd),
  totalMarginUsed: wireNumber(summary.totalMarginUsed),
});

const toPosition = (position: PositionView) => ({
  coin: position.coin,
  szi: wireNumber(position.signedSize),
  leverage: toLeverage(position.leverage),
  entryPx: wireNumber(position.entryPrice),
  positionValue: wireNumber(position.positionValue),
  unrealizedPnl: wireNumber(position.unrealizedPnl),
  returnOnEquity: wireNumber(position.returnOnEquity),
  liquidationPx: position.liquidationPrice === null ? null : wireNumber(position.liquidationPrice),
  marginUsed: wireNumber(position.marginUsed),
  maxLeverage: position.maxLeverage,
  cumFunding: {
    allTime: wireNumber(position.funding.allTime),
    sinceOpen: wireNumber(position.funding.sinceOpen),
    sinceChange: wireNumber(position.funding.sinceChange),
  },
});

/** `rawUsd`, the cash inside an isolated position, is absent for cross. */
export const toLeverage = (leverage: PositionView['leverage']) =>
  leverage.type === 'cross' ? leverage : { ...leverage, rawUsd: wireNumber(leverage.rawUsd) };
