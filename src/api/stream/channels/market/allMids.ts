// `allMids`: the venue's mid prices by coin, all of them, whenever one has changed.

import { exactly } from '../../../contract/answerValues.ts';
import { LIGHT } from '../../../domain/requestPrice.ts';
import { DexField, requireMainDex } from '../../../info/infoType.ts';
import { allMids as info } from '../../../info/market/allMids.ts';
import { requireMeta } from '../../../info/market/coins.ts';
import { subscriptionReader } from '../../channel/channel.ts';
import { channel } from '../../channel/channelEntry.ts';
import type { MarketParts } from '../../channel/marketStream.ts';
import { toMessage } from '../../channel/message.ts';
import { sharedChannel } from '../../channel/sharedChannel.ts';
import { followedSource } from '../../channel/sources.ts';

const read = subscriptionReader('allMids', { dex: DexField });

export const allMids = channel(read, {
  about: 'Mid prices by coin, all of them, whenever the venue sends some.',
  messages: { allMids: exactly({ mids: info.answers }) },
  weight: LIGHT,
  create: ({ services, market }: MarketParts) =>
    sharedChannel({
      type: 'allMids',
      read: (sent) => {
        const subscription = read(sent);
        requireMainDex(subscription);
        requireMeta(services);
        return subscription;
      },
      open: (_subscription, broadcast) =>
        followedSource(market, ['mids'], { make: () => toMessage('allMids', { mids: services.market.mids() }), broadcast }),
    }),
});
