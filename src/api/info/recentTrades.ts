// `recentTrades`: the newest public trades of a coin, newest first. Hash and traders are the venue's, zero where
// it does not say.
import type { MarketTrade } from '../../market/domain/feed.ts';
import type { Services } from '../call.ts';
import { CoinText } from '../requestReader.ts';
import { wireNumber, wireSide, ZERO_ADDRESS, ZERO_HASH } from '../wireText.ts';
import { askVenue } from './askVenue.ts';
import { requireCoin } from './coins.ts';
import { marketType } from './infoType.ts';
import { SPOT_BOOK_TTL_MS } from './upstreamTypes.ts';

export const recentTrades = marketType('recentTrades', { coin: CoinText }, ({ coin }, services) => {
  if (requireCoin(coin, services) === 'spot') return askSpotTrades(coin, services);
  return services.market.recentTrades(coin).map((trade) => toWireTrade(coin, trade));
});

/** The newest trades of a spot pair, which are not followed here. */
export const askSpotTrades = (coin: string, services: Services): Promise<unknown> =>
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
