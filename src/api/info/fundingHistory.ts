// `fundingHistory`: the venue's hourly funding rates of a coin, ascending, at most 500 rows of its own.
import { absentOr, CoinText, TimeMs } from '../requestReader.ts';
import { askVenue } from './askVenue.ts';
import { requireCoin } from './coins.ts';
import { marketType } from './infoType.ts';

/** Rates come once an hour. */
const TTL_MS = 10_000;

export const fundingHistory = marketType(
  'fundingHistory',
  { coin: CoinText, startTime: TimeMs, endTime: absentOr(TimeMs) },
  ({ coin, startTime, endTime }, services) => {
    requireCoin(coin, services);
    if (startTime > (endTime ?? services.now())) return [];
    const until = endTime == null ? {} : { endTime };
    return askVenue(services, { type: 'fundingHistory', coin, startTime, ...until }, TTL_MS);
  },
);
