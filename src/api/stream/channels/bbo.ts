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
import { spotSource } from '../spotSource.ts';
import { subscriptionReader } from '../subscriptionReader.ts';

interface WireBook {
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
      let last: { readonly best: string; readonly message: Buffer } | undefined;
      /** The time of a book whose best levels are the same is no news. */
      const toMessageOnce = ({ time, levels: [bids, asks] }: WireBook): Buffer => {
        const bbo = [bids[0] ?? null, asks[0] ?? null];
        const best = JSON.stringify(bbo);
        if (last?.best !== best) last = { best, message: toMessage('bbo', { coin, time, bbo }) };
        return last.message;
      };
      if (requireCoin(coin, services) === 'spot') {
        const ask = async () => toMessageOnce((await askSpotBook({ coin }, services)) as WireBook);
        return spotSource(coin, services, () => polledSource(services, ask, audience));
      }
      const make = () => toMessageOnce(toBook({ coin }, services, 1) as WireBook);
      return followedSource(market, [`book:${coin}`, `bbo:${coin}`, `trades:${coin}`], { make, audience });
    },
  });
