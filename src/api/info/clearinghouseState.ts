// The account's state: `clearinghouseState` has equity, margin and positions at this moment; `activeAssetData` has the leverage in one coin
// and the sizes that could be traded, as pairs [buy, sell].

import { Type } from '@sinclair/typebox';
import type { AccountStateView, AssetDataView, MarginSummary, PositionView } from '../../actors/core/messages/accountFigures.ts';
import { rememberFor } from '../../shared/domain/memo.ts';
import { RequestError } from '../../shared/errors.ts';
import { requireMeta, unknownCoin } from '../accounts/coins.ts';
import { askAccount, type Call, type Services } from '../accounts/services.ts';
import { Address, CoinName, exactly, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { ClearinghouseState, Leverage } from '../contract/venueForms.ts';
import { HEAVY_QUESTION, LIGHT_QUESTION } from '../domain/requestPrice.ts';
import { JsonText, wireNumber } from '../domain/wireText.ts';
import { CoinText } from '../http/requestReader.ts';
import { accountType, askedUser, DexField, isMainDex } from './infoType.ts';

export async function readClearinghouseState(call: Call, services: Services) {
  return toClearinghouseState(await readState(call, services));
}

const readState = async (call: Call, services: Services): Promise<AccountStateView> =>
  (await askAccount(call, services, { kind: 'accountState' })).state;

const STATE = {
  about: 'Equity, margin and positions of the account at this moment.',
  price: LIGHT_QUESTION,
  fields: { dex: DexField },
  answers: ClearinghouseState,
};

export const clearinghouseState = accountType('clearinghouseState', STATE, async (request, call, services) => {
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

const toClearinghouseState = (state: AccountStateView) => ({ ...toFigures(state), time: state.timeMs });

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
const toLeverage = (leverage: PositionView['leverage']) =>
  leverage.type === 'cross' ? leverage : { ...leverage, rawUsd: wireNumber(leverage.rawUsd) };

const ActiveAssetData = named(
  'ActiveAssetData',
  exactly({
    user: Address,
    coin: CoinName,
    leverage: Leverage,
    maxTradeSzs: described(Type.Array(WireDecimal, { minItems: 2, maxItems: 2 }), 'Coins that could be bought and sold.'),
    availableToTrade: described(Type.Array(WireDecimal, { minItems: 2, maxItems: 2 }), 'USD for buying and selling.'),
    markPx: WireDecimal,
  }),
);

const IN_COIN = {
  about: 'Leverage in one coin, and how much of it the account could trade.',
  price: HEAVY_QUESTION,
  fields: { coin: CoinText },
  answers: ActiveAssetData,
  example: { coin: 'BTC' },
};

export const activeAssetData = accountType('activeAssetData', IN_COIN, async (request, call, services) => {
  requireMeta(services);
  const asset = services.market.assetOf(request.coin);
  if (!asset) throw unknownCoin(request.coin);
  const { data } = await askAccount(call, services, { kind: 'assetData', asset: asset.id });
  if (!data) throw new RequestError(503, 'market_unavailable', `No price of ${asset.coin} has been received yet.`);
  return { user: askedUser(request, call), ...toAssetData(data) };
});

const toAssetData = (data: AssetDataView) => ({
  coin: data.coin,
  leverage: toLeverage(data.leverage),
  maxTradeSzs: data.maxTradeSizes.map(wireNumber),
  availableToTrade: data.availableToTrade.map(wireNumber),
  markPx: wireNumber(data.markPrice),
});
