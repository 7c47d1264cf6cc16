// `l2Book`: the displayed book of one coin, whole, whenever the venue shows a new one.

import { type Static, Type } from '@sinclair/typebox';
import type { PayingServices } from '../../../accounts/askVenue.ts';
import { atLeast } from '../../../contract/answerValues.ts';
import { described } from '../../../contract/named.ts';
import { LIGHT } from '../../../domain/requestPrice.ts';
import { absentOr } from '../../../http/requestReader.ts';
import { askSpotBook, BOOK_FITTING, Book, BookFields, LEVELS_MAX, toBook } from '../../../info/market/l2Book.ts';
import { subscriptionReader } from '../../channel/channel.ts';
import { channel } from '../../channel/channelEntry.ts';
import type { MarketParts } from '../../channel/marketStream.ts';
import { toMessage } from '../../channel/message.ts';
import { coinChannel, followedSource, polledSource } from '../../channel/sources.ts';

/** Levels a side of a `fast` book, as at the venue. */
const FAST_LEVELS = 5;

const read = subscriptionReader(
  'l2Book',
  {
    ...BookFields,
    nLevels: described(
      absentOr(Type.Integer({ minimum: 1, maximum: LEVELS_MAX, expected: 'an integer from 1 to 20' })),
      'Levels of each side; absent = 20, and 5 of a fast book.',
    ),
    fast: described(
      absentOr(Type.Boolean({ expected: 'true or false' })),
      'Said back in each message; books come as fast as the venue shows them in any case.',
    ),
  },
  { nSigFigs: null, mantissa: null, fast: false },
  BOOK_FITTING,
);

export const l2Book = channel(read, {
  about: 'The displayed book of one coin, whole, whenever the venue shows a new one; of slow clients the latest alone.',
  messages: { l2Book: atLeast({ ...Book.properties, fast: Type.Optional(Type.Literal(true)) }) },
  example: { coin: 'BTC', nSigFigs: 5, mantissa: 2, nLevels: 10 },
  weight: LIGHT,
  create: ({ services, market }: MarketParts) =>
    coinChannel(
      {
        type: 'l2Book',
        read,
        perp: (subscription, broadcast) => {
          const { mode, levels } = shapeOf(subscription);
          const make = () => toMessage('l2Book', { ...toBook(subscription, services, levels), ...mode });
          return followedSource(market, [`book:${subscription.coin}`], { make, broadcast });
        },
        spot: (subscription, broadcast) => {
          const { mode, levels } = shapeOf(subscription);
          const ask = async (paying: PayingServices) => {
            const book = (await askSpotBook(subscription, paying)) as Static<typeof Book>;
            const first = book.levels.map((side) => side.slice(0, levels));
            return toMessage('l2Book', { ...book, levels: first, ...mode });
          };
          return polledSource(services, ask, { broadcast, isLight: true });
        },
      },
      services,
    ),
});

/** @returns the fields that each message repeats, and the number of levels a side */
const shapeOf = ({ fast, nLevels }: ReturnType<typeof read>) => ({
  mode: fast ? { fast } : {},
  levels: nLevels ?? (fast ? FAST_LEVELS : LEVELS_MAX),
});
