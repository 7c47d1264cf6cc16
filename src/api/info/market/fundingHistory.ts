// `fundingHistory`: the venue's hourly funding rates of a coin, ascending, at most 500 rows of its own.

import { Type } from '@sinclair/typebox';
import { askVenue, paidBy } from '../../accounts/askVenue.ts';
import { atLeast, CoinName, EpochMs, venueValue } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { QUESTION_OF_ROWS } from '../../domain/requestPrice.ts';
import { absentOr, CoinText, TimeMs } from '../../http/requestReader.ts';
import { marketType } from '../infoType.ts';
import { requireCoin } from './coins.ts';

/** Rates come once an hour. */
const TTL_MS = 10_000;

export const fundingHistory = marketType(
  'fundingHistory',
  {
    about: 'The venue’s hourly funding rates of a coin, oldest first, at most 500.',
    price: QUESTION_OF_ROWS,
    fields: { coin: CoinText, startTime: TimeMs, endTime: described(absentOr(TimeMs), 'Absent or `null` = now.') },
    answers: venueValue(
      Type.Array(
        named(
          'FundingRate',
          atLeast({
            coin: CoinName,
            fundingRate: described(Type.String(), 'For one hour, a fraction.'),
            premium: Type.String(),
            time: EpochMs,
          }),
        ),
      ),
    ),
    example: { coin: 'BTC', startTime: 1_795_000_000_000 },
  },
  ({ coin, startTime, endTime }, services, call) => {
    requireCoin(coin, services);
    if (startTime > (endTime ?? services.now())) return [];
    const until = endTime == null ? {} : { endTime };
    return askVenue(paidBy(services, call), { type: 'fundingHistory', coin, startTime, ...until }, TTL_MS);
  },
);
