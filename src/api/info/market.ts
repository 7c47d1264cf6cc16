// Short questions about the market: its clock, mid prices, newest trades, funding rates.
//
// `exchangeStatus`: the clock, and no special status, because ccxt reads any other value as maintenance.
import { Type } from '@sinclair/typebox';
import type { MarketTrade } from '../../market/domain/feed.ts';
import { askVenue, type PayingServices, paidBy } from '../accounts/askVenue.ts';
import { requireCoin, requireMeta } from '../accounts/coins.ts';
import type { Services } from '../accounts/services.ts';
import { atLeast, CoinName, Count, EpochMs, exactly, Hash, venueValue } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { SideLetter } from '../contract/venueForms.ts';
import { LIGHT_QUESTION, QUESTION_OF_ROWS } from '../domain/requestPrice.ts';
import { wireNumber, wireSide, ZERO_ADDRESS, ZERO_HASH } from '../domain/wireText.ts';
import { absentOr, CoinText, TimeMs } from '../http/requestReader.ts';
import { DexField, marketType } from './infoType.ts';
import { ofDex, SPOT_BOOK_TTL_MS } from './venueOnly.ts';

const CLOCK = {
  about: 'The clock.',
  price: LIGHT_QUESTION,
  fields: {},
  answers: named('ExchangeStatus', exactly({ time: EpochMs, specialStatuses: Type.Null() })),
};

export const exchangeStatus = marketType('exchangeStatus', CLOCK, (_request, services) => ({
  time: services.now(),
  specialStatuses: null,
}));

// `allMids`: the venue's mid prices by coin, spot pairs and the last prices of delisted coins included.

const MIDS = {
  about: 'Mid prices by coin.',
  price: LIGHT_QUESTION,
  fields: { dex: DexField },
  answers: Type.Record(Type.String(), Type.String({ examples: ['65000.5'] })),
};

export const allMids = marketType('allMids', MIDS, (request, services, call) =>
  ofDex(request, { services, call }, { type: 'allMids', main: () => mids(services) }),
);

function mids(services: Services): Readonly<Record<string, string>> {
  requireMeta(services);
  return services.market.mids();
}

// `recentTrades`: the newest public trades of a coin, newest first. Hash and traders are the venue's, and zero where
// it does not send them.

const TRADES = {
  about: 'The newest public trades of a coin, newest first.',
  price: QUESTION_OF_ROWS,
  fields: { coin: CoinText },
  answers: venueValue(
    Type.Array(
      named(
        'Trade',
        atLeast({
          coin: CoinName,
          side: described(SideLetter, 'Of the taker.'),
          px: Type.String(),
          sz: Type.String(),
          time: EpochMs,
          hash: Hash,
          tid: Count,
          users: described(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), 'Buyer and seller.'),
        }),
      ),
    ),
  ),
  example: { coin: 'BTC' },
};

export const recentTrades = marketType('recentTrades', TRADES, ({ coin }, services, call) => {
  if (requireCoin(coin, services) === 'passed') return askSpotTrades(coin, paidBy(services, call));
  return services.market.recentTrades(coin).map((trade) => toWireTrade(coin, trade));
});

/** The newest trades of a spot pair, which are not followed here. */
export const askSpotTrades = (coin: string, services: PayingServices): Promise<unknown> =>
  askVenue(services, { type: 'recentTrades', coin }, SPOT_BOOK_TTL_MS);

export const toWireTrade = (coin: string, trade: MarketTrade) => ({
  coin,
  side: wireSide(trade.side),
  px: wireNumber(trade.price),
  sz: wireNumber(trade.size),
  time: trade.timeMs,
  hash: trade.hash ?? ZERO_HASH,
  tid: trade.tid,
  users: trade.users ?? [ZERO_ADDRESS, ZERO_ADDRESS],
});

// `fundingHistory`: the venue's hourly funding rates of a coin, ascending, at most 500 rows of its own.

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
