// `recentTrades`: the newest public trades of a coin, newest first. Hash and traders are the venue's, and zero where
// it does not send them.

import { Type } from '@sinclair/typebox';
import type { MarketTrade } from '../../../market/domain/feed.ts';
import { askVenue, type PayingServices, paidBy } from '../../accounts/askVenue.ts';
import { atLeast, CoinName, Count, EpochMs, Hash, venueValue } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { SideLetter } from '../../contract/venueForms.ts';
import { QUESTION_OF_ROWS } from '../../domain/requestPrice.ts';
import { wireNumber, wireSide, ZERO_ADDRESS, ZERO_HASH } from '../../domain/wireText.ts';
import { CoinText } from '../../http/requestReader.ts';
import { marketType } from '../infoType.ts';
import { requireCoin } from './coins.ts';
import { SPOT_BOOK_TTL_MS } from './venueOnlyTypes.ts';

const CONTRACT = {
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

export const recentTrades = marketType('recentTrades', CONTRACT, ({ coin }, services, call) => {
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
