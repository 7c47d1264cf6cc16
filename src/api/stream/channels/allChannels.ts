// Every channel that clients can subscribe to, in the order of the published document.
import { RefreshIntervals } from '../account/refreshIntervals.ts';
import type { PrivateParts } from '../account/rowStream.ts';
import type { StateParts } from '../account/stateStream.ts';
import type { PricedChannel } from '../channel/channel.ts';
import type { ChannelEntry } from '../channel/channelEntry.ts';
import type { MarketParts } from '../channel/marketStream.ts';
import { accountStates } from './account/accountStates.ts';
import { notification } from './account/notification.ts';
import { orderUpdates } from './account/orderUpdates.ts';
import { userEvents } from './account/userEvents.ts';
import { userFills } from './account/userFills.ts';
import { userFundings } from './account/userFundings.ts';
import { userHistoricalOrders } from './account/userHistoricalOrders.ts';
import { userNonFundingLedgerUpdates } from './account/userNonFundingLedgerUpdates.ts';
import { userTwapHistory } from './account/userTwapHistory.ts';
import { userTwapSliceFills } from './account/userTwapSliceFills.ts';
import { activeAssetCtx } from './market/activeAssetCtx.ts';
import { allMids } from './market/allMids.ts';
import { allDexsAssetCtxs, assetCtxs, spotAssetCtxs } from './market/assetCtxs.ts';
import { bbo } from './market/bbo.ts';
import { candle } from './market/candle.ts';
import { l2Book } from './market/l2Book.ts';
import { trades } from './market/trades.ts';
import { notOffered } from './notOffered.ts';

/** The parts that channels need. */
export interface ChannelParts extends MarketParts {
  readonly accounts: PrivateParts;
}

/** Channels of the market. */
export const publicChannels: readonly ChannelEntry<MarketParts>[] = [
  allMids,
  l2Book,
  bbo,
  trades,
  candle,
  activeAssetCtx,
  assetCtxs,
  allDexsAssetCtxs,
  spotAssetCtxs,
];

/** Channels about an account. Their messages have `seq`. */
export const privateChannels: readonly ChannelEntry<StateParts>[] = [
  orderUpdates,
  userEvents,
  userFills,
  userFundings,
  userNonFundingLedgerUpdates,
  userHistoricalOrders,
  userTwapSliceFills,
  userTwapHistory,
  notification,
  ...accountStates,
];

/** @returns the channels by type, those that are refused by name among them */
export function createChannels(parts: ChannelParts): ReadonlyMap<string, PricedChannel> {
  const accounts = { ...parts.accounts, refreshIntervals: new RefreshIntervals() };
  const channels = [
    ...publicChannels.map(({ create, weight }) => Object.assign(create(parts), { weight })),
    ...privateChannels.map(({ create, weight }) => Object.assign(create(accounts), { weight })),
    ...notOffered,
  ];
  return new Map(channels.map((channel) => [channel.type, channel]));
}
