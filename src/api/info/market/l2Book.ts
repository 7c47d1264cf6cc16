// `l2Book`: the displayed book of one coin, at most 20 levels a side, merged on request. An unknown coin is `null`.

import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import { askVenue, type PayingServices, paidBy } from '../../accounts/askVenue.ts';
import type { Services } from '../../accounts/services.ts';
import { atLeast, CoinName, Count, EpochMs, exactly, orNull, venueValue } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { fitting } from '../../contract/requestValues.ts';
import { LIGHT_QUESTION } from '../../domain/requestPrice.ts';
import { absentOr, CoinText } from '../../http/requestReader.ts';
import { marketType } from '../infoType.ts';
import { aggregateLevels, toWireLevel, type WireLevel } from './aggregateLevels.ts';
import { findCoin } from './coins.ts';
import { SPOT_BOOK_TTL_MS } from './venueOnlyTypes.ts';

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
