// `clearinghouseState`: equity, margin and positions of the account at this moment.

import type { AccountStateView, MarginSummary, PositionView } from '../../../actors/core/messages/accountFigures.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { ClearinghouseState } from '../../contract/venueForms.ts';
import { LIGHT_QUESTION } from '../../domain/requestPrice.ts';
import { JsonText, wireNumber } from '../../domain/wireText.ts';
import { accountType, DexField, isMainDex } from '../infoType.ts';

export async function readClearinghouseState(call: Call, services: Services) {
  return toClearinghouseState(await readState(call, services));
}

const readState = async (call: Call, services: Services): Promise<AccountStateView> =>
  (await askAccount(call, services, { kind: 'accountState' })).state;

const CONTRACT = {
  about: 'Equity, margin and positions of the account at this moment.',
  price: LIGHT_QUESTION,
  fields: { dex: DexField },
  answers: ClearinghouseState,
};

export const clearinghouseState = accountType('clearinghouseState', CONTRACT, async (request, call, services) => {
  if (!isMainDex(request)) return { ...NOTHING_THERE, time: services.now() };
  const state = await readState(call, services);
  return figuresText(state.positions, state).text.with('time', state.timeMs);
});

const ZERO_SUMMARY = { accountValue: '0.0', totalNtlPos: '0.0', totalRawUsd: '0.0', totalMarginUsed: '0.0' };

/** The account on a builder's dex, where it cannot trade; as the venue shows an account that has never been there. */
const NOTHING_THERE = {
  marginSummary: ZERO_SUMMARY,
  crossMarginSummary: ZERO_SUMMARY,
  crossMaintenanceMarginUsed: '0.0',
  withdrawable: '0.0',
  assetPositions: [],
};

export const toClearinghouseState = (state: AccountStateView) => ({ ...toFigures(state), time: state.timeMs });

/** A view gives the same figures again while marks stand still: only the time is another. */
const figuresText = rememberFor(
  (_positions: AccountStateView['positions'], state: AccountStateView) => ({ state, text: JsonText.of(toFigures(state)) }),
  ({ state: last }, state) =>
    last.marginSummary === state.marginSummary &&
    last.crossMarginSummary === state.crossMarginSummary &&
    last.crossMaintenanceMarginUsed === state.crossMaintenanceMarginUsed &&
    last.withdrawable === state.withdrawable,
);

/** All but the time. */
const toFigures = (state: AccountStateView) => ({
  marginSummary: toSummary(state.marginSummary),
  crossMarginSummary: toSummary(state.crossMarginSummary),
  crossMaintenanceMarginUsed: wireNumber(state.crossMaintenanceMarginUsed),
  withdrawable: wireNumber(state.withdrawable),
  assetPositions: state.positions.map((position) => ({ type: 'oneWay' as const, position: toPosition(position) })),
});

const toSummary = (summary: MarginSummary) => ({
  accountValue: wireNumber(summary.accountValue),
  totalNtlPos: wireNumber(summary.totalNotional),
  totalRawUsd: wireNumber(summary.totalRawUsd),
  totalMarginUsed: wireNumber(summary.totalMarginUsed),
});

export const toPosition = (position: PositionView) => ({
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
