// Every channel that can be subscribed to.
import type { Services } from '../call.ts';
import type { Channel } from './channel.ts';
import { activeAssetCtx } from './channels/activeAssetCtx.ts';
import { allMids } from './channels/allMids.ts';
import { allDexsAssetCtxs, assetCtxs, spotAssetCtxs } from './channels/assetCtxs.ts';
import { bbo } from './channels/bbo.ts';
import { candle } from './channels/candle.ts';
import { l2Book } from './channels/l2Book.ts';
import { notOffered } from './channels/notOffered.ts';
import { trades } from './channels/trades.ts';
import type { MarketStream } from './marketStream.ts';
import type { PrivateParts } from './private/rowStream.ts';
import { privateChannels } from './privateChannels.ts';

/** What channels are made of. */
export interface ChannelParts {
  readonly accounts: PrivateParts;
  readonly services: Services;
  readonly market: MarketStream;
}

const PUBLIC = [activeAssetCtx, allDexsAssetCtxs, allMids, assetCtxs, bbo, candle, l2Book, spotAssetCtxs, trades];

/** @returns the channels by type */
export function createChannels(parts: ChannelParts): ReadonlyMap<string, Channel> {
  const channels = [...notOffered, ...PUBLIC.map((create) => create(parts)), ...privateChannels(parts.accounts)];
  return new Map(channels.map((channel) => [channel.type, channel]));
}
