// `activeAssetCtx`: mark, oracle, funding and volume of one coin. Spot pairs answer on a channel of their own name.

import type { PayingServices } from '../../../accounts/askVenue.ts';
import { CoinName, exactly, orNull } from '../../../contract/answerValues.ts';
import { LIGHT } from '../../../domain/requestPrice.ts';
import { CoinText } from '../../../http/requestReader.ts';
import { AssetContextAnswer, SpotContexts } from '../../../info/market/marketSchemas.ts';
import { NO_CONTEXT } from '../../../info/market/meta.ts';
import { readSpotContexts } from '../../../info/market/venueOnlyTypes.ts';
import { subscriptionReader } from '../../channel/channel.ts';
import { channel } from '../../channel/channelEntry.ts';
import type { MarketParts } from '../../channel/marketStream.ts';
import { toMessage } from '../../channel/message.ts';
import { coinChannel, followedSource, polledSource } from '../../channel/sources.ts';

const read = subscriptionReader('activeAssetCtx', { coin: CoinText });

export const activeAssetCtx = channel(read, {
  about: 'Mark, oracle, funding and volume of one coin; spot pairs on a channel of their own name.',
  messages: {
    activeAssetCtx: exactly({ coin: CoinName, ctx: AssetContextAnswer }),
    activeSpotAssetCtx: exactly({ coin: CoinName, ctx: orNull(SpotContexts.items) }),
  },
  example: { coin: 'BTC' },
  weight: LIGHT,
  create: ({ services, market }: MarketParts) =>
    coinChannel(
      {
        type: 'activeAssetCtx',
        read,
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
