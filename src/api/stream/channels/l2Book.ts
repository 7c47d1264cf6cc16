// `l2Book`: the displayed book of one coin, whole, whenever the venue shows a new one.
import { Type } from '@sinclair/typebox';
import { requireCoin } from '../../info/coins.ts';
import { askSpotBook, BookFields, LEVELS_MAX, requireMantissaInPlace, toBook } from '../../info/l2Book.ts';
import { absentOr } from '../../requestReader.ts';
import type { Channel } from '../channel.ts';
import type { ChannelParts } from '../channels.ts';
import { followedSource } from '../followedSource.ts';
import { toMessage } from '../message.ts';
import { polledSource } from '../polledSource.ts';
import { sharedChannel } from '../sharedChannel.ts';
import { subscriptionReader } from '../subscriptionReader.ts';

/** Levels a side of a `fast` book, as at the venue. */
const FAST_LEVELS = 5;

const read = subscriptionReader(
  'l2Book',
  {
    ...BookFields,
    /** Levels of each side; absent = 20, and 5 of a fast book. */
    nLevels: absentOr(Type.Integer({ minimum: 1, maximum: LEVELS_MAX, expected: 'an integer from 1 to 20' })),
    /** Said back in each message; books come as fast as the venue shows them in any case. */
    fast: absentOr(Type.Boolean({ expected: 'true or false' })),
  },
  { nSigFigs: null, mantissa: null, fast: false },
);

export const l2Book = ({ services, market }: ChannelParts): Channel =>
  sharedChannel({
    type: 'l2Book',
    read: (sent) => {
      const subscription = read(sent);
      requireMantissaInPlace(subscription);
      requireCoin(subscription.coin, services);
      return subscription;
    },
    open: (subscription, audience) => {
      const { coin, fast, nLevels } = subscription;
      const mode = fast ? { fast } : {};
      if (requireCoin(coin, services) === 'spot') {
        const ask = async () => toMessage('l2Book', { ...((await askSpotBook(subscription, services)) as object), ...mode });
        return polledSource(services, ask, audience);
      }
      const levels = nLevels ?? (fast ? FAST_LEVELS : LEVELS_MAX);
      const make = () => toMessage('l2Book', { ...toBook(subscription, services, levels), ...mode });
      return followedSource(market, [`book:${coin}`], { make, audience });
    },
  });
