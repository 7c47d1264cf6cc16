// The list of channels that clients can subscribe to.
import type { PrivateParts } from '../account/rowStream.ts';
import type { Channel } from '../channel/channel.ts';
import type { MarketParts } from '../channel/marketStream.ts';
import { activeAssetCtx } from './market/activeAssetCtx.ts';
import { allMids } from './market/allMids.ts';
import { allDexsAssetCtxs, assetCtxs, spotAssetCtxs } from './market/assetCtxs.ts';
import { bbo } from './market/bbo.ts';
import { candle } from './market/candle.ts';
import { l2Book } from './market/l2Book.ts';
import { trades } from './market/trades.ts';
import { notOffered } from './notOffered.ts';
import { privateChannels } from './privateChannels.ts';

/** The parts that channels need. */
export interface ChannelParts extends MarketParts {
  readonly accounts: PrivateParts;
}

const PUBLIC = [activeAssetCtx, allDexsAssetCtxs, allMids, assetCtxs, bbo, candle, l2Book, spotAssetCtxs, trades];

/** @returns the channels by type */
export function createChannels(parts: ChannelParts): ReadonlyMap<string, Channel> {
  const channels = [...notOffered, ...PUBLIC.map((create) => create(parts)), ...privateChannels(parts.accounts)];
  return new Map(channels.map((channel) => [channel.type, channel]));
}
