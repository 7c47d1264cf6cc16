// `candleSnapshot` and `candles`: the same rows under the venue's and the specification's form of the request.

import { Type } from '@sinclair/typebox';
import { paidBy } from '../accounts/askVenue.ts';
import { GRID_MS, readCandles } from '../accounts/readCandles.ts';
import { atLeast, CoinName, Count, EpochMs, venueValue } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { LIGHT_QUESTION } from '../domain/requestPrice.ts';
import { absentOr, CoinText, TimeMs } from '../http/requestReader.ts';
import { marketType } from './infoType.ts';

/** Length of a candle. */
export const IntervalText = Type.String({
  pattern: `^(${Object.keys(GRID_MS).join('|')})$`,
  expected: `one of ${Object.keys(GRID_MS).join(', ')}`,
});

const CandleFields = {
  coin: CoinText,
  interval: IntervalText,
  startTime: TimeMs,
  endTime: described(absentOr(TimeMs), 'Absent or `null` = now.'),
};
const CandleRequest = named('CandleRange', Type.Object(CandleFields, { expected: '{coin, interval, startTime, endTime}' }));

export const Candle = named(
  'Candle',
  atLeast({
    t: described(EpochMs, 'When it opens.'),
    T: described(EpochMs, 'When it closes.'),
    s: CoinName,
    i: Type.String({ examples: ['1h'] }),
    o: Type.String(),
    c: Type.String(),
    h: Type.String(),
    l: Type.String(),
    v: described(Type.String(), 'Volume, coins.'),
    n: described(Count, 'Trades.'),
  }),
);
const Candles = venueValue(Type.Array(Candle));
const EXAMPLE = { coin: 'BTC', interval: '1h', startTime: 1_795_000_000_000 };

const SNAPSHOT_CONTRACT = {
  about: 'Candles of a coin, oldest first, at most 5,000.',
  // Candles are kept for all: a question costs a look.
  price: LIGHT_QUESTION,
  fields: { req: CandleRequest },
  answers: Candles,
  example: { req: EXAMPLE },
};

export const candleSnapshot = marketType('candleSnapshot', SNAPSHOT_CONTRACT, ({ req }, services, call) =>
  readCandles(req, paidBy(services, call)),
);

const CONTRACT = {
  about: 'The same as candleSnapshot, with the fields beside `type`.',
  price: LIGHT_QUESTION,
  fields: CandleFields,
  answers: Candles,
  example: EXAMPLE,
};

export const candles = marketType('candles', CONTRACT, (request, services, call) => readCandles(request, paidBy(services, call)));
