// `l2Book`: the displayed book of one coin, at most 20 levels a side, merged on request. An unknown coin is `null`.
import { type Static, type TObject, Type } from '@sinclair/typebox';
import type { FeedLevel } from '../../market/domain/feed.ts';
import { Decimal, toWire, ZERO } from '../../shared/domain/decimal.ts';
import { askVenue, type PayingServices, paidBy } from '../accounts/askVenue.ts';
import { findCoin } from '../accounts/coins.ts';
import type { Services } from '../accounts/services.ts';
import { atLeast, CoinName, Count, EpochMs, exactly, orNull, venueValue } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { fitting } from '../contract/requestValues.ts';
import { LIGHT_QUESTION } from '../domain/requestPrice.ts';
import { wireNumber } from '../domain/wireText.ts';
import { absentOr, CoinText } from '../http/requestReader.ts';
import { marketType } from './infoType.ts';
import { SPOT_BOOK_TTL_MS } from './venueOnly.ts';

/** Levels of each side that are shown. */
export const LEVELS_MAX = 20;

/** Which view of a coin's book is wanted. */
export const BookFields = {
  coin: CoinText,
  nSigFigs: described(
    absentOr(Type.Integer({ minimum: 2, maximum: 5, expected: '2, 3, 4 or 5' })),
    'Significant figures to merge to.',
  ),
  mantissa: described(
    absentOr(Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(5)], { expected: '1, 2 or 5' })),
    'Steps of the last figure; only with 5 figures.',
  ),
};
/** How they fit together. */
export const BOOK_FITTING = fitting('must have a mantissa with nSigFigs 5 only', {
  required: ['mantissa'],
  properties: { mantissa: { type: 'integer' }, nSigFigs: { not: { const: 5 } } },
});
type BookRequest = Static<TObject<typeof BookFields>>;

export const Level = named(
  'BookLevel',
  exactly({
    px: Type.String(),
    sz: described(Type.String(), 'Coins.'),
    n: described(Count, 'Orders.'),
  }),
);

export const Book = named(
  'Book',
  atLeast({
    coin: CoinName,
    time: EpochMs,
    levels: Type.Tuple([Type.Array(Level), Type.Array(Level)]),
    spread: Type.Optional(Type.String({ description: 'Only of a merged book.' })),
  }),
);

const CONTRACT = {
  about: 'The displayed book of a coin, at most 20 levels a side: bids, then asks, best first. `null` for an unknown coin.',
  price: LIGHT_QUESTION,
  fields: BookFields,
  fitting: BOOK_FITTING,
  answers: venueValue(orNull(Book)),
  example: { coin: 'BTC' },
};

export const l2Book = marketType('l2Book', CONTRACT, (request, services, call) => {
  const market = findCoin(request.coin, services);
  if (!market) return null;
  return market === 'passed' ? askSpotBook(request, paidBy(services, call)) : toBook(request, services);
});

/** The book of a spot pair, which the venue merges itself. */
export const askSpotBook = ({ coin, nSigFigs, mantissa }: BookRequest, services: PayingServices): Promise<unknown> =>
  askVenue(services, { type: 'l2Book', coin, nSigFigs, mantissa }, SPOT_BOOK_TTL_MS);

/** @param levelsMax of each side of the answer */
export function toBook({ coin, nSigFigs, mantissa }: BookRequest, services: Services, levelsMax = LEVELS_MAX): object {
  const book = services.market.bookText(coin);
  const time = book?.timeMs ?? services.now();
  const bids = book?.bids.slice(0, LEVELS_MAX) ?? [];
  const asks = book?.asks.slice(0, LEVELS_MAX) ?? [];
  const first = (levels: readonly WireLevel[]): readonly WireLevel[] => levels.slice(0, levelsMax);
  if (nSigFigs == null) return { coin, time, levels: [first(bids.map(toWireLevel)), first(asks.map(toWireLevel))] };

  const step = { figures: nSigFigs, mantissa: mantissa ?? 1 };
  const merged = [aggregateLevels(bids, { side: 'bid', ...step }), aggregateLevels(asks, { side: 'ask', ...step })];
  const [bestBid, bestAsk] = [bids[0]?.[0], asks[0]?.[0]];
  const spread = bestBid === undefined || bestAsk === undefined ? '0.0' : toWire(new Decimal(bestAsk).minus(bestBid));
  return { coin, time, levels: merged.map(first), spread };
}

// Merges book levels to fewer significant figures, as `nSigFigs` and `mantissa` of `l2Book` ask. Bids round down and
// asks up, so that no level looks better than it is.

export interface WireLevel {
  readonly px: string;
  readonly sz: string;
  readonly n: number;
}

const toWireLevel = ([px, sz, n]: FeedLevel): WireLevel => ({ px: wireNumber(px), sz: wireNumber(sz), n });

/**
 * @param levels best first
 * @param options.figures significant figures, 2 to 5
 * @param options.mantissa steps of the last figure: 1, 2 or 5
 */
export function aggregateLevels(
  levels: readonly FeedLevel[],
  options: { side: 'bid' | 'ask'; figures: number; mantissa: number },
): WireLevel[] {
  const merged = new Map<string, { size: Decimal; orders: number }>();
  for (const [price, size, orders] of levels) {
    const px = toWire(toStep(new Decimal(price), options));
    const known = merged.get(px) ?? { size: ZERO, orders: 0 };
    merged.set(px, { size: known.size.plus(size), orders: known.orders + orders });
  }
  return [...merged].map(([px, { size, orders }]) => ({ px, sz: toWire(size), n: orders }));
}

function toStep(
  price: Decimal,
  { side, figures, mantissa }: { side: 'bid' | 'ask'; figures: number; mantissa: number },
): Decimal {
  const step = new Decimal(10).pow(price.e - figures + 1).times(mantissa);
  const steps = price.div(step);
  return (side === 'bid' ? steps.floor() : steps.ceil()).times(step);
}
