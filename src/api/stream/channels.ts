// Every channel that can be subscribed to.
import type { Services } from '../call.ts';
import type { Channel } from './channel.ts';
import { allMids } from './channels/allMids.ts';
import { l2Book } from './channels/l2Book.ts';
import type { MarketStream } from './marketStream.ts';

/** What channels are made of. */
export interface ChannelParts {
  readonly services: Services;
  readonly market: MarketStream;
}

/** @returns the channels by type */
export function createChannels(parts: ChannelParts): ReadonlyMap<string, Channel> {
  const channels = [allMids, l2Book].map((create) => create(parts));
  return new Map(channels.map((channel) => [channel.type, channel]));
}
