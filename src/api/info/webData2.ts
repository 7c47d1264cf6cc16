// `webData2`: the old all-in-one answer, put together from the others.
import { askAccount } from '../accountQuery.ts';
import { wireNumber } from '../wireText.ts';
import { readClearinghouseState } from './clearinghouseState.ts';
import { accountType, askedUser } from './infoType.ts';
import { toAssetContexts, toMeta } from './meta.ts';
import { readOpenOrders } from './openOrders.ts';
import { toFrontendOrders } from './orderShapes.ts';
import { readTwapStates } from './twaps.ts';
import { readSpotContexts } from './upstreamTypes.ts';

export const webData2 = accountType('webData2', {}, async (request, call, services) => {
  const meta = toMeta(services);
  const user = askedUser(request, call);
  const [state, orders, { summary }, twapStates, spotAssetCtxs] = await Promise.all([
    readClearinghouseState(call, services),
    readOpenOrders(call, services),
    askAccount(call, services, { kind: 'summary' }),
    readTwapStates(call, services, user),
    readSpotContexts(services),
  ]);
  return {
    clearinghouseState: state,
    leadingVaults: [],
    totalVaultEquity: '0.0',
    openOrders: toFrontendOrders(orders),
    agentAddress: null,
    agentValidUntil: null,
    cumLedger: wireNumber(summary.netDepositsUsd),
    meta,
    assetCtxs: toAssetContexts(services),
    serverTime: services.now(),
    isVault: false,
    user,
    twapStates,
    spotState: { balances: [] },
    spotAssetCtxs,
  };
});
