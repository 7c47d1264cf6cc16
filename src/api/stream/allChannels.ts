// Every channel that clients can subscribe to, in the order of the published document.

import { RequestError } from '../../shared/errors.ts';
import { RefreshIntervals } from './account/refreshIntervals.ts';
import type { PrivateParts } from './account/rowStream.ts';
import type { StateParts } from './account/stateStream.ts';
import type { ChannelEntry, PricedChannel } from './channel/channel.ts';
import type { MarketParts } from './channel/marketStream.ts';
import { orderUpdates, userEvents } from './channels/accountEvents.ts';
import { accountStates } from './channels/accountStates.ts';
import { bbo, l2Book } from './channels/books.ts';
import { candle } from './channels/candle.ts';
import { notification } from './channels/notification.ts';
import { activeAssetCtx, allDexsAssetCtxs, allMids, assetCtxs, spotAssetCtxs } from './channels/prices.ts';
import {
  userFills,
  userFundings,
  userHistoricalOrders,
  userNonFundingLedgerUpdates,
  userTwapHistory,
  userTwapSliceFills,
} from './channels/rowLists.ts';
import { trades } from './channels/trades.ts';

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
