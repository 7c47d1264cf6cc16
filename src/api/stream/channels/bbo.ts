// `bbo`: best bid and offer of one coin, whenever they change.

import { Type } from '@sinclair/typebox';
import { CoinName, exactly, Milliseconds, orNull } from '../../contract/answerValues.ts';
import type { WireLevel } from '../../info/aggregateLevels.ts';
import { requireCoin } from '../../info/coins.ts';
import { askSpotBook, Level, toBook } from '../../info/l2Book.ts';
import { CoinText } from '../../requestReader.ts';
import type { Channel } from '../channel.ts';
import { channelContract } from '../channelContract.ts';
import type { ChannelParts } from '../channels.ts';
import { followedSource } from '../followedSource.ts';
import { toMessage } from '../message.ts';
import { polledSource } from '../polledSource.ts';
import { sharedChannel } from '../sharedChannel.ts';
import { subscriptionReader } from '../subscriptionReader.ts';

interface WireBook {
  readonly coin: string;
  readonly time: number;
  readonly levels: readonly [bids: readonly WireLevel[], asks: readonly WireLevel[]];
}

const read = subscriptionReader('bbo', { coin: CoinText });

export const bboContract = channelContract(read, {
  about: 'Best bid and offer of one coin, when the best level of a side changes.',
  says: {
    bbo: exactly({
      coin: CoinName,
      time: Milliseconds,
      bbo: Type.Tuple([orNull(Level), orNull(Level)], { description: 'Bid and offer; null where a side is empty.' }),
    }),
  },
  example: { coin: 'BTC' },
});

export const bbo = ({ services, market }: ChannelParts): Channel =>
  sharedChannel({
    type: 'bbo',
    read: (sent) => {
      const subscription = read(sent);
      requireCoin(subscription.coin, services);
      return subscription;
    },
    open: ({ coin }, audience) => {
      if (requireCoin(coin, services) === 'spot') {
        return polledSource(services, async () => toBest((await askSpotBook({ coin }, services)) as WireBook), audience);
      }
      let last: { readonly best: string; readonly message: Buffer } | undefined;
      const make = (): Buffer => {
        const book = toBook({ coin }, services, 1) as WireBook;
        const best = JSON.stringify(book.levels);
        // The time of a book whose best levels are the same is no news.
        if (last?.best !== best) last = { best, message: toBest(book) };
        return last.message;
      };
      return followedSource(market, [`book:${coin}`, `bbo:${coin}`, `trades:${coin}`], { make, audience });
    },
  });

const toBest = ({ coin, time, levels: [bids, asks] }: WireBook): Buffer =>
  toMessage('bbo', { coin, time, bbo: [bids[0] ?? null, asks[0] ?? null] });
