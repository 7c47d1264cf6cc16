// `bbo`: best bid and offer of one coin, whenever they change.

import { Type } from '@sinclair/typebox';
import type { PayingServices } from '../../../accounts/askVenue.ts';
import { CoinName, EpochMs, exactly, orNull } from '../../../contract/answerValues.ts';
import { LIGHT } from '../../../domain/requestPrice.ts';
import { CoinText } from '../../../http/requestReader.ts';
import type { WireLevel } from '../../../info/market/aggregateLevels.ts';
import { askSpotBook, Level, toBook } from '../../../info/market/l2Book.ts';
import { subscriptionReader } from '../../channel/channel.ts';
import { channel } from '../../channel/channelEntry.ts';
import type { MarketParts } from '../../channel/marketStream.ts';
import { toMessage } from '../../channel/message.ts';
import { coinChannel, followedSource, polledSource } from '../../channel/sources.ts';

interface WireBook {
  readonly time: number;
  readonly levels: readonly [bids: readonly WireLevel[], asks: readonly WireLevel[]];
}

const read = subscriptionReader('bbo', { coin: CoinText });

export const bbo = channel(read, {
  about: 'Best bid and offer of one coin, when the best level of a side changes.',
  messages: {
    bbo: exactly({
      coin: CoinName,
      time: EpochMs,
      bbo: Type.Tuple([orNull(Level), orNull(Level)], { description: 'Bid and offer; null where a side is empty.' }),
    }),
  },
  example: { coin: 'BTC' },
  weight: LIGHT,
  create: ({ services, market }: MarketParts) =>
    coinChannel(
      {
        type: 'bbo',
        read,
        perp: ({ coin }, broadcast) => {
          const tell = telling(coin);
          const make = () => tell(toBook({ coin }, services, 1) as WireBook);
          return followedSource(market, [`book:${coin}`, `bbo:${coin}`, `trades:${coin}`], { make, broadcast });
        },
        spot: ({ coin }, broadcast) => {
          const tell = telling(coin);
          const ask = async (paying: PayingServices) => tell((await askSpotBook({ coin }, paying)) as WireBook);
          return polledSource(services, ask, { broadcast, isLight: true });
        },
      },
      services,
    ),
});

/** The time of a book whose best levels are the same is no news. */
function telling(coin: string): (book: WireBook) => Buffer {
  let last: { readonly best: string; readonly message: Buffer } | undefined;
  return ({ time, levels: [bids, asks] }) => {
    const bbo = [bids[0] ?? null, asks[0] ?? null];
    const best = JSON.stringify(bbo);
    if (last?.best !== best) last = { best, message: toMessage('bbo', { coin, time, bbo }) };
    return last.message;
  };
}
