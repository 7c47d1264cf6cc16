// `assetCtxs`, `allDexsAssetCtxs` and `spotAssetCtxs`: the contexts of all markets at once, in the order of their
// listing.

import { Type } from '@sinclair/typebox';
import { exactly } from '../../../contract/answerValues.ts';
import { HEAVIEST } from '../../../domain/requestPrice.ts';
import { DexField, requireMainDex } from '../../../info/infoType.ts';
import { requireMeta } from '../../../info/market/coins.ts';
import { AssetContextAnswer, SpotContexts } from '../../../info/market/marketSchemas.ts';
import { toAssetContexts } from '../../../info/market/meta.ts';
import { readSpotContexts } from '../../../info/market/venueOnlyTypes.ts';
import { subscriptionReader } from '../../channel/channel.ts';
import { channel } from '../../channel/channelEntry.ts';
import type { MarketParts } from '../../channel/marketStream.ts';
import { toMessage } from '../../channel/message.ts';
import { sharedChannel } from '../../channel/sharedChannel.ts';
import { followedSource, polledSource } from '../../channel/sources.ts';

/** How often they are sent at most: a message has some 100 KB, and single contexts change many times a second. */
const EVERY_MS = 1000;

const readOne = subscriptionReader('assetCtxs', { dex: DexField }, { dex: '' });
const readAll = subscriptionReader('allDexsAssetCtxs', {});
const readSpot = subscriptionReader('spotAssetCtxs', {});

const Contexts = Type.Array(AssetContextAnswer, { description: 'In the order of the listing.' });
const MainDex = Type.Literal('', { description: 'The main dex, which has no name.' });

export const assetCtxs = channel(readOne, {
  about: 'Contexts of all perpetuals, at most once a second.',
  messages: { assetCtxs: exactly({ dex: MainDex, ctxs: Contexts }) },
  weight: HEAVIEST,
  create: ({ services, market }: MarketParts) =>
    sharedChannel({
      type: 'assetCtxs',
      read: (sent) => {
        const subscription = readOne(sent);
        requireMainDex(subscription);
        requireMeta(services);
        return subscription;
      },
      open: (_subscription, broadcast) => {
        const make = () => toMessage('assetCtxs', { dex: '', ctxs: toAssetContexts(services) });
        return followedSource(market, ['contexts'], { make, broadcast, everyMs: EVERY_MS });
      },
    }),
});

export const allDexsAssetCtxs = channel(readAll, {
  about: 'The same by dex: there is one.',
  messages: { allDexsAssetCtxs: exactly({ ctxs: Type.Array(Type.Tuple([MainDex, Contexts])) }) },
  weight: HEAVIEST,
  create: ({ services, market }: MarketParts) =>
    sharedChannel({
      type: 'allDexsAssetCtxs',
      read: (sent) => {
        requireMeta(services);
        return readAll(sent);
      },
      open: (_subscription, broadcast) => {
        const make = () => toMessage('allDexsAssetCtxs', { ctxs: [['', toAssetContexts(services)]] });
        return followedSource(market, ['contexts'], { make, broadcast, everyMs: EVERY_MS });
      },
    }),
});

export const spotAssetCtxs = channel(readSpot, {
  about: 'Contexts of all spot pairs, every 2 seconds at most.',
  messages: { spotAssetCtxs: SpotContexts },
  weight: HEAVIEST,
  create: ({ services }: MarketParts) =>
    sharedChannel({
      type: 'spotAssetCtxs',
      read: readSpot,
      open: (_subscription, broadcast) =>
        polledSource(services, async (paying) => toMessage('spotAssetCtxs', await readSpotContexts(paying)), { broadcast }),
    }),
});
