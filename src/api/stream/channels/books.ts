// Books of one coin: `l2Book` has the displayed levels, whole, whenever the venue shows new ones; `bbo` the best bid and offer.
import { type Static, Type } from '@sinclair/typebox';
import type { PayingServices } from '../../accounts/askVenue.ts';
import { atLeast, CoinName, EpochMs, exactly, orNull } from '../../contract/answerValues.ts';
import { described } from '../../contract/named.ts';
import { LIGHT } from '../../domain/requestPrice.ts';
import { absentOr, CoinText } from '../../http/requestReader.ts';
import { askSpotBook, BOOK_FITTING, Book, BookFields, LEVELS_MAX, Level, toBook, type WireLevel } from '../../info/l2Book.ts';
import { channel, subscriptionReader } from '../channel/channel.ts';
import type { MarketParts } from '../channel/marketStream.ts';
import { toMessage } from '../channel/message.ts';
import { coinChannel, followedSource, polledSource } from '../channel/sources.ts';

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
  serve: ({ services, market }: MarketParts) =>
    coinChannel(
      {
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

interface WireBook {
  readonly time: number;
  readonly levels: readonly [bids: readonly WireLevel[], asks: readonly WireLevel[]];
}

export const bbo = channel(subscriptionReader('bbo', { coin: CoinText }), {
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
  serve: ({ services, market }: MarketParts) =>
    coinChannel(
      {
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
