// Prices of coins. `allMids` has all mid prices whenever one has changed, `activeAssetCtx` mark, oracle, funding and volume of one coin.
// `assetCtxs`, `allDexsAssetCtxs` and `spotAssetCtxs` have the contexts of all markets at once, in the order of their listing.

import { Type } from '@sinclair/typebox';
import type { PayingServices } from '../../accounts/askVenue.ts';
import { requireMeta } from '../../accounts/coins.ts';
import type { Services } from '../../accounts/services.ts';
import { CoinName, exactly, orNull } from '../../contract/answerValues.ts';
import { AssetContextAnswer, SpotContexts } from '../../contract/marketSchemas.ts';
import { HEAVIEST, LIGHT } from '../../domain/requestPrice.ts';
import { CoinText } from '../../http/requestReader.ts';
import { DexField, requireMainDex } from '../../info/infoType.ts';
import { allMids as allMidsInfo } from '../../info/market.ts';
import { NO_CONTEXT, toAssetContexts } from '../../info/meta.ts';
import { readSpotContexts } from '../../info/venueOnly.ts';
import { channel, subscriptionReader } from '../channel/channel.ts';
import type { MarketParts } from '../channel/marketStream.ts';
import { toMessage } from '../channel/message.ts';
import { sharedChannel } from '../channel/sharedChannel.ts';
import { coinChannel, followedSource, polledSource } from '../channel/sources.ts';

/** @throws {RequestError} for another dex than the main one, 503 while the market has not been loaded */
function requireMainMarket(subscription: Parameters<typeof requireMainDex>[0], services: Services): void {
  requireMainDex(subscription);
  requireMeta(services);
}

export const allMids = channel(subscriptionReader('allMids', { dex: DexField }), {
  about: 'Mid prices by coin, all of them, whenever the venue sends some.',
  messages: { allMids: exactly({ mids: allMidsInfo.answers }) },
  weight: LIGHT,
  serve: ({ services, market }: MarketParts) => ({
    ...sharedChannel((_subscription, broadcast) =>
      followedSource(market, ['mids'], { make: () => toMessage('allMids', { mids: services.market.mids() }), broadcast }),
    ),
    check: (subscription) => requireMainMarket(subscription, services),
  }),
});

// Spot pairs answer on a channel of their own name.

export const activeAssetCtx = channel(subscriptionReader('activeAssetCtx', { coin: CoinText }), {
  about: 'Mark, oracle, funding and volume of one coin; spot pairs on a channel of their own name.',
  messages: {
    activeAssetCtx: exactly({ coin: CoinName, ctx: AssetContextAnswer }),
    activeSpotAssetCtx: exactly({ coin: CoinName, ctx: orNull(SpotContexts.items) }),
  },
  example: { coin: 'BTC' },
  weight: LIGHT,
  serve: ({ services, market }: MarketParts) =>
    coinChannel(
      {
        perp: ({ coin }, broadcast) => {
          const make = (): Buffer => {
            const asset = services.market.assetOf(coin);
            const ctx = asset && services.market.contextOf(asset.id)?.context;
            return toMessage('activeAssetCtx', { coin, ctx: ctx ?? NO_CONTEXT });
          };
          return followedSource(market, [`context:${coin}`], { make, broadcast });
        },
        spot: ({ coin }, broadcast) => {
          const ask = async (paying: PayingServices) => {
            const contexts = (await readSpotContexts(paying)) as readonly { readonly coin: string }[];
            return toMessage('activeSpotAssetCtx', { coin, ctx: contexts.find((context) => context.coin === coin) ?? null });
          };
          return polledSource(services, ask, { broadcast });
        },
      },
      services,
    ),
});

/** How often they are sent at most: a message has some 100 KB, and single contexts change many times a second. */
const EVERY_MS = 1000;

const Contexts = Type.Array(AssetContextAnswer, { description: 'In the order of the listing.' });
const MainDex = Type.Literal('', { description: 'The main dex, which has no name.' });

export const assetCtxs = channel(subscriptionReader('assetCtxs', { dex: DexField }, { dex: '' }), {
  about: 'Contexts of all perpetuals, at most once a second.',
  messages: { assetCtxs: exactly({ dex: MainDex, ctxs: Contexts }) },
  weight: HEAVIEST,
  serve: ({ services, market }: MarketParts) => ({
    ...sharedChannel((_subscription, broadcast) => {
      const make = () => toMessage('assetCtxs', { dex: '', ctxs: toAssetContexts(services) });
      return followedSource(market, ['contexts'], { make, broadcast, everyMs: EVERY_MS });
    }),
    check: (subscription) => requireMainMarket(subscription, services),
  }),
});

export const allDexsAssetCtxs = channel(subscriptionReader('allDexsAssetCtxs', {}), {
  about: 'The same by dex: there is one.',
  messages: { allDexsAssetCtxs: exactly({ ctxs: Type.Array(Type.Tuple([MainDex, Contexts])) }) },
  weight: HEAVIEST,
  serve: ({ services, market }: MarketParts) => ({
    ...sharedChannel((_subscription, broadcast) => {
      const make = () => toMessage('allDexsAssetCtxs', { ctxs: [['', toAssetContexts(services)]] });
      return followedSource(market, ['contexts'], { make, broadcast, everyMs: EVERY_MS });
    }),
    check: () => void requireMeta(services),
  }),
});

export const spotAssetCtxs = channel(subscriptionReader('spotAssetCtxs', {}), {
  about: 'Contexts of all spot pairs, every 2 seconds at most.',
  messages: { spotAssetCtxs: SpotContexts },
  weight: HEAVIEST,
  serve: ({ services }: MarketParts) =>
    sharedChannel((_subscription, broadcast) =>
      polledSource(services, async (paying) => toMessage('spotAssetCtxs', await readSpotContexts(paying)), { broadcast }),
    ),
});
