// Every channel that clients can subscribe to, in the order of the published document.

import { RequestError } from '../../shared/errors.ts';
import { RefreshIntervals } from './account/refreshIntervals.ts';
import type { PrivateParts } from './account/rowStream.ts';
import type { StateParts } from './account/stateStream.ts';
import type { PricedChannel } from './channel/channel.ts';
import type { ChannelEntry } from './channel/channelEntry.ts';
import type { MarketParts } from './channel/marketStream.ts';
import { accountStates } from './channels/account/accountStates.ts';
import { notification } from './channels/account/notification.ts';
import { orderUpdates } from './channels/account/orderUpdates.ts';
import { userEvents } from './channels/account/userEvents.ts';
import { userFills } from './channels/account/userFills.ts';
import { userFundings } from './channels/account/userFundings.ts';
import { userHistoricalOrders } from './channels/account/userHistoricalOrders.ts';
import { userNonFundingLedgerUpdates } from './channels/account/userNonFundingLedgerUpdates.ts';
import { userTwapHistory } from './channels/account/userTwapHistory.ts';
import { userTwapSliceFills } from './channels/account/userTwapSliceFills.ts';
import { activeAssetCtx } from './channels/market/activeAssetCtx.ts';
import { allMids } from './channels/market/allMids.ts';
import { allDexsAssetCtxs, assetCtxs, spotAssetCtxs } from './channels/market/assetCtxs.ts';
import { bbo } from './channels/market/bbo.ts';
import { candle } from './channels/market/candle.ts';
import { l2Book } from './channels/market/l2Book.ts';
import { trades } from './channels/market/trades.ts';

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

/**
 * Channels of the venue that have no meaning here. They are refused by name, so that a client learns that the channel
 * is known and not offered, and does not take its frame for malformed.
 */
export const notOfferedTypes = ['fastAssetCtxs', 'outcomeMetaUpdates'] as const;

export const notOffered: readonly PricedChannel[] = notOfferedTypes.map((type) => {
  const refuse = (): never => {
    throw new RequestError(400, 'not_offered', `The channel ${type} is not offered here.`);
  };
  return { type, weight: 0, read: refuse, open: refuse };
});
