// `recentTrades`: the newest public trades of a coin, newest first. Hash and traders are the venue's, zero where
// it does not say.
import type { MarketTrade } from '../../market/domain/feed.ts';
import { CoinText } from '../requestReader.ts';
import { wireNumber, wireSide, ZERO_ADDRESS, ZERO_HASH } from '../wireText.ts';
import { askVenue } from './askVenue.ts';
import { requireCoin } from './coins.ts';
import { marketType } from './infoType.ts';
import { SPOT_BOOK_TTL_MS } from './upstreamTypes.ts';

export const recentTrades = marketType('recentTrades', { coin: CoinText }, ({ coin }, services) => {
  if (requireCoin(coin, services) === 'spot') return askVenue(services, { type: 'recentTrades', coin }, SPOT_BOOK_TTL_MS);
  return services.market.recentTrades(coin).map((trade) => toWireTrade(coin, trade));
});

const toWireTrade = (coin: string, trade: MarketTrade) => ({
  coin,
  side: wireSide(trade.side),
  px: wireNumber(trade.price),
  sz: wireNumber(trade.size),
  time: trade.timeMs,
  hash: trade.hash ?? ZERO_HASH,
  tid: trade.tid,
  users: trade.users ?? [ZERO_ADDRESS, ZERO_ADDRESS],
});
