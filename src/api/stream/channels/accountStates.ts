// The channels that show an account's state: the data of the info types of the same names, in the stream's own form.
import { type TSchema, Type } from '@sinclair/typebox';
import { askAccount } from '../../accounts/services.ts';
import { Address, EpochMs, exactly, WireDecimal } from '../../contract/answerValues.ts';
import { described } from '../../contract/named.ts';
import { ClearinghouseState, FrontendOrder, SpotState } from '../../contract/venueForms.ts';
import { HEAVIEST, LIGHT } from '../../domain/requestPrice.ts';
import { toFrontendOrders } from '../../domain/wireOrders.ts';
import { wireNumber } from '../../domain/wireText.ts';
import { absentOr, CoinText } from '../../http/requestReader.ts';
import { activeAssetData as activeAssetDataInfo, readClearinghouseState } from '../../info/clearinghouseState.ts';
import { DexField, requireMainDex } from '../../info/infoType.ts';
import { readOpenOrders } from '../../info/orders.ts';
import { RunningTwaps, readTwapStates } from '../../info/twaps.ts';
import { webData2 as webData2Info } from '../../info/webData2.ts';
import { accountReader, STATE_FIELDS, type StateSubscription } from '../account/accountSubscription.ts';
import { type ShowState, type StateParts, stateStream } from '../account/stateStream.ts';
import { type ChannelEntry, channel, type SubscriptionReader } from '../channel/channel.ts';

type State = ChannelEntry<StateParts>;
type Read = SubscriptionReader<StateSubscription>;

/** What the entry of a state channel has beside its type. */
interface Told extends Pick<State, 'about' | 'weight'> {
  readonly data: TSchema;
  readonly example?: object;
}

/** A state that only the account's own events change. */
const still = (data: object) => ({ data, isMoving: false });

const state = (type: string, read: Read, { data, ...told }: Told, show: ShowState): State =>
  channel(read, { ...told, messages: { [type]: data }, serve: (parts: StateParts) => stateStream(show, parts) });

/** A state channel whose subscription names only the account. */
const ofAccount = (type: string, told: Told, show: ShowState): State =>
  state(type, accountReader(type, STATE_FIELDS), told, show);

/** Of the main dex, which has no name. */
const ofDex = (type: string, told: Told, show: ShowState): State => {
  const read = accountReader(type, { dex: DexField, ...STATE_FIELDS });
  const readMain = (sent: object) => {
    const subscription = read(sent);
    requireMainDex(subscription);
    return subscription;
  };
  return state(type, Object.assign(readMain, { type, schema: read.schema }), told, show);
};

const ofMainDex = { dex: Type.Literal(''), user: Address };

const clearinghouseState = ofDex(
  'clearinghouseState',
  {
    about: 'Equity, margin and positions.',
    weight: LIGHT,
    data: exactly({ ...ofMainDex, clearinghouseState: ClearinghouseState }),
  },
  async (_subscription, { user, call, services }) => {
    const state = await readClearinghouseState(call, services);
    return { data: { dex: '', user, clearinghouseState: state }, isMoving: state.assetPositions.length > 0 };
  },
);

/** In the form of `frontendOpenOrders`, unlike the info type of the channel's name. */
const openOrders = ofDex(
  'openOrders',
  {
    about: 'Open orders with all that a page shows.',
    weight: HEAVIEST,
    data: exactly({ ...ofMainDex, orders: Type.Array(FrontendOrder) }),
  },
  async (_subscription, { user, call, services }) =>
    still({ dex: '', user, orders: await readOpenOrders(call, services, toFrontendOrders) }),
);

const twapStates = ofDex(
  'twapStates',
  {
    about: 'TWAPs that run or wait for their trigger, as `[id, state]`.',
    weight: HEAVIEST,
    data: exactly({ ...ofMainDex, states: RunningTwaps }),
  },
  async (_subscription, { user, call, services }) => still({ dex: '', user, states: await readTwapStates(call, services, user) }),
);

const readSpotState = accountReader('spotState', {
  ...STATE_FIELDS,
  ignorePortfolioMargin: described(absentOr(Type.Boolean({ expected: 'a boolean' })), 'Accepted and without effect.'),
});

/** There is no spot trading here; the account is asked only for its sequence number. */
const spotState = state(
  'spotState',
  readSpotState,
  { about: 'Spot balances: none.', weight: LIGHT, data: exactly({ user: Address, spotState: SpotState }) },
  async (_subscription, { user, call, services }) => {
    await askAccount(call, services, { kind: 'summary' });
    return still({ user, spotState: { balances: [] } });
  },
);

const allDexsClearinghouseState = ofAccount(
  'allDexsClearinghouseState',
  {
    about: 'Equity, margin and positions by dex: there is one.',
    weight: LIGHT,
    data: exactly({ user: Address, clearinghouseStates: Type.Array(Type.Tuple([Type.Literal(''), ClearinghouseState])) }),
  },
  async (_subscription, { user, call, services }) => {
    const state = await readClearinghouseState(call, services);
    return { data: { user, clearinghouseStates: [['', state]] }, isMoving: state.assetPositions.length > 0 };
  },
);

const activeAssetData = state(
  'activeAssetData',
  accountReader('activeAssetData', { coin: CoinText, ...STATE_FIELDS }),
  { about: activeAssetDataInfo.about, weight: HEAVIEST, data: activeAssetDataInfo.answers, example: { coin: 'BTC' } },
  async (subscription, { call, services }) => {
    const data = (await activeAssetDataInfo.answer(subscription, call, services)) as object;
    return { data, isMoving: true };
  },
);

/** Prices move it, but it is as long as all others together and outdated, so it keeps the venue's interval. */
const webData2 = ofAccount(
  'webData2',
  { about: webData2Info.about, weight: HEAVIEST, data: webData2Info.answers },
  async (subscription, { call, services }) => still((await webData2Info.answer(subscription, call, services)) as object),
);

const WebData3 = exactly({
  userState: exactly({
    agentAddress: Type.Null(),
    agentValidUntil: Type.Null(),
    cumLedger: described(WireDecimal, 'Deposits less withdrawals, USD.'),
    serverTime: EpochMs,
    isVault: Type.Boolean(),
    user: Address,
  }),
  perpDexStates: Type.Array(
    exactly({
      totalVaultEquity: WireDecimal,
      perpsAtOpenInterestCap: Type.Array(Type.String()),
      leadingVaults: Type.Array(Type.Unknown(), { maxItems: 0 }),
    }),
  ),
});

const webData3 = ofAccount(
  'webData3',
  { about: 'What is left of `webData2` beside the channels above.', weight: LIGHT, data: WebData3 },
  async (_subscription, { user, call, services }) => {
    const { summary } = await askAccount(call, services, { kind: 'summary' });
    return still({
      userState: {
        agentAddress: null,
        agentValidUntil: null,
        cumLedger: wireNumber(summary.netDepositsUsd),
        serverTime: services.now(),
        isVault: false,
        user,
      },
      perpDexStates: [{ totalVaultEquity: '0.0', perpsAtOpenInterestCap: [], leadingVaults: [] }],
    });
  },
);

/** Ours: a page that shows what was read of an account knows by it that the account has been reset meanwhile. */
const accountStart = ofAccount(
  'accountStart',
  {
    about: 'When the account was opened, or reset last: what was read of it before is no part of it any more. Not at the venue.',
    weight: LIGHT,
    data: exactly({ user: Address, time: EpochMs }),
  },
  async (_subscription, { user, call, services }) => {
    const { summary } = await askAccount(call, services, { kind: 'summary' });
    return still({ user, time: summary.openedAtMs });
  },
);

export const accountStates: readonly State[] = [
  clearinghouseState,
  openOrders,
  twapStates,
  spotState,
  allDexsClearinghouseState,
  activeAssetData,
  webData2,
  webData3,
  accountStart,
];
