// The channels that show an account as it is: what the info types of the same names say, in the stream's own wrapping.
import { Type } from '@sinclair/typebox';
import { askAccount } from '../../accountQuery.ts';
import { activeAssetData as activeAssetDataInfo } from '../../info/activeAssetData.ts';
import { readClearinghouseState } from '../../info/clearinghouseState.ts';
import { DexField, requireMainDex } from '../../info/infoType.ts';
import { readOpenOrders } from '../../info/openOrders.ts';
import { toFrontendOrders } from '../../info/orderShapes.ts';
import { readTwapStates } from '../../info/twaps.ts';
import { webData2 as webData2Info } from '../../info/webData2.ts';
import { absentOr, CoinText } from '../../requestReader.ts';
import { wireNumber } from '../../wireText.ts';
import type { Channel } from '../channel.ts';
import { type AccountSubscription, accountReader } from '../private/accountSubscription.ts';
import type { PrivateParts } from '../private/rowStream.ts';
import { type StateChannel, stateStream } from '../private/stateStream.ts';

export const accountStates = (parts: PrivateParts): Channel[] => [
  stateStream(clearinghouseState, parts),
  stateStream(openOrders, parts),
  stateStream(twapStates, parts),
  stateStream(spotState, parts),
  stateStream(allDexsClearinghouseState, parts),
  stateStream(activeAssetData, parts),
  stateStream(webData2, parts),
  stateStream(webData3, parts),
];

type State = StateChannel<AccountSubscription>;

/** A state without fields but those that say whose. */
const ofAccount = (type: string, show: State['show']): State => ({ type, read: accountReader(type, {}), show });

/** Of the main dex, which has no name. */
const ofDex = (type: string, show: State['show']): State => {
  const read = accountReader(type, { dex: DexField });
  return {
    type,
    read: (sent) => {
      const subscription = read(sent);
      requireMainDex(subscription);
      return subscription;
    },
    show,
  };
};

const clearinghouseState = ofDex('clearinghouseState', async (_subscription, { user, call, services }) => ({
  dex: '',
  user,
  clearinghouseState: await readClearinghouseState(call, services),
}));

/** In the form of `frontendOpenOrders`, although the info type of this name has another. */
const openOrders = ofDex('openOrders', async (_subscription, { user, call, services }) => ({
  dex: '',
  user,
  orders: toFrontendOrders(await readOpenOrders(call, services)),
}));

const twapStates = ofDex('twapStates', async (_subscription, { user, call, services }) => ({
  dex: '',
  user,
  states: await readTwapStates(call, services, user),
}));

/** There is no spot here; the account is asked for its sequence number alone. */
const spotState: State = {
  type: 'spotState',
  read: accountReader('spotState', { ignorePortfolioMargin: absentOr(Type.Boolean({ expected: 'a boolean' })) }),
  show: async (_subscription, { user, call, services }) => {
    await askAccount(call, services, { kind: 'summary' });
    return { user, spotState: { balances: [] } };
  },
};

const allDexsClearinghouseState = ofAccount('allDexsClearinghouseState', async (_subscription, { user, call, services }) => ({
  user,
  clearinghouseStates: [['', await readClearinghouseState(call, services)]],
}));

const activeAssetData: State = {
  type: 'activeAssetData',
  read: accountReader('activeAssetData', { coin: CoinText }),
  show: async (subscription, { call, services }) => (await activeAssetDataInfo.answer(subscription, call, services)) as object,
};

const webData2 = ofAccount(
  'webData2',
  async (subscription, { call, services }) => (await webData2Info.answer(subscription, call, services)) as object,
);

const webData3 = ofAccount('webData3', async (_subscription, { user, call, services }) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    userState: {
      agentAddress: null,
      agentValidUntil: null,
      cumLedger: wireNumber(summary.netDepositsUsd),
      serverTime: services.now(),
      isVault: false,
      user,
    },
    perpDexStates: [{ totalVaultEquity: '0.0', perpsAtOpenInterestCap: [], leadingVaults: [] }],
  };
});
