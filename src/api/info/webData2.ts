// `webData2`: the venue's old all-in-one answer, composed of the answers of other types.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { askAccount, asSeen } from '../accounts/services.ts';
import { Address, EpochMs, exactly, venueValue, WireDecimal } from '../contract/answerValues.ts';
import { AssetContextAnswer, PerpMeta, SpotContexts } from '../contract/marketSchemas.ts';
import { described, named } from '../contract/named.ts';
import { ClearinghouseState, FrontendOrder, NothingIn, SpotState } from '../contract/venueForms.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { toFrontendOrders } from '../domain/wireOrders.ts';
import { wireNumber } from '../domain/wireText.ts';
import { readClearinghouseState } from './clearinghouseState.ts';
import { accountType, askedUser } from './infoType.ts';
import { toAssetContexts, toMeta } from './meta.ts';
import { readOpenOrders } from './orders.ts';
import { RunningTwaps, readTwapStates } from './twaps.ts';
import { readSpotContexts } from './venueOnly.ts';

const CONTRACT = {
  about: 'The old all-in-one answer, put together from the others.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: named(
    'WebData2',
    exactly({
      clearinghouseState: ClearinghouseState,
      leadingVaults: NothingIn,
      totalVaultEquity: WireDecimal,
      openOrders: Type.Array(FrontendOrder),
      agentAddress: Type.Null(),
      agentValidUntil: Type.Null(),
      cumLedger: described(WireDecimal, 'Deposits less withdrawals, USD.'),
      meta: Type.Unsafe<object>(PerpMeta),
      assetCtxs: Type.Array(AssetContextAnswer),
      serverTime: EpochMs,
      isVault: Type.Boolean(),
      user: Address,
      twapStates: RunningTwaps,
      spotState: SpotState,
      spotAssetCtxs: venueValue(SpotContexts),
    }),
  ),
};

const nothingWhileAway = (error: unknown): unknown => {
  if (error instanceof RequestError) return [];
  throw error;
};

export const webData2 = accountType('webData2', CONTRACT, async (request, call, services) => {
  const seen = asSeen(call, services);
  const meta = toMeta(seen);
  const user = askedUser(request, call);
  const [state, orders, { summary }, twapStates, spotAssetCtxs] = await Promise.all([
    readClearinghouseState(call, services),
    readOpenOrders(call, services, toFrontendOrders),
    askAccount(call, services, { kind: 'summary' }),
    readTwapStates(call, services, user),
    // Beside the account's own state, which is answered whatever the venue does.
    readSpotContexts(services).catch(nothingWhileAway),
  ]);
  return {
    clearinghouseState: state,
    leadingVaults: [],
    totalVaultEquity: '0.0',
    openOrders: orders,
    agentAddress: null,
    agentValidUntil: null,
    cumLedger: wireNumber(summary.netDepositsUsd),
    meta,
    assetCtxs: toAssetContexts(seen),
    serverTime: services.now(),
    isVault: false,
    user,
    twapStates,
    spotState: { balances: [] },
    spotAssetCtxs,
  };
});
