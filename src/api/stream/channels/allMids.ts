// `allMids`: the venue's mid prices by coin, all of them, whenever one has changed.

import { requireMeta } from '../../info/coins.ts';
import { DexField, requireMainDex } from '../../info/infoType.ts';
import type { Channel } from '../channel.ts';
import type { ChannelParts } from '../channels.ts';
import { followedSource } from '../followedSource.ts';
import { toMessage } from '../message.ts';
import { sharedChannel } from '../sharedChannel.ts';
import { subscriptionReader } from '../subscriptionReader.ts';

const read = subscriptionReader('allMids', { dex: DexField });

export const allMids = ({ services, market }: ChannelParts): Channel =>
  sharedChannel({
    type: 'allMids',
    read: (sent) => {
      const subscription = read(sent);
      requireMainDex(subscription);
      requireMeta(services);
      return subscription;
    },
    open: (_subscription, audience) =>
      followedSource(market, ['mids'], { make: () => toMessage('allMids', { mids: services.market.mids() }), audience }),
  });
