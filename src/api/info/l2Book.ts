// `l2Book`: the displayed book of one coin, at most 20 levels a side, merged on request. An unknown coin is `null`.
import { Type } from '@sinclair/typebox';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { absentOr, CoinText, unreadable } from '../requestReader.ts';
import { aggregateLevels, toWireLevel } from './aggregateLevels.ts';
import { askVenue } from './askVenue.ts';
import { findCoin } from './coins.ts';
import { marketType } from './infoType.ts';
import { SPOT_BOOK_TTL_MS } from './upstreamTypes.ts';

const LEVELS_MAX = 20;

export const l2Book = marketType(
  'l2Book',
  {
    coin: CoinText,
    /** Significant figures to merge to. */
    nSigFigs: absentOr(Type.Integer({ minimum: 2, maximum: 5, expected: '2, 3, 4 or 5' })),
    /** Steps of the last figure; only with 5 figures. */
    mantissa: absentOr(Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(5)], { expected: '1, 2 or 5' })),
  },
  ({ coin, nSigFigs, mantissa }, services) => {
    if (mantissa != null && nSigFigs !== 5) throw unreadable('mantissa is only allowed with nSigFigs 5');
    const market = findCoin(coin, services);
    if (!market) return null;
    if (market === 'spot') return askVenue(services, { type: 'l2Book', coin, nSigFigs, mantissa }, SPOT_BOOK_TTL_MS);

    const book = services.market.bookText(coin);
    const time = book?.timeMs ?? services.now();
    const bids = book?.bids.slice(0, LEVELS_MAX) ?? [];
    const asks = book?.asks.slice(0, LEVELS_MAX) ?? [];
    if (nSigFigs == null) return { coin, time, levels: [bids.map(toWireLevel), asks.map(toWireLevel)] };

    const step = { figures: nSigFigs, mantissa: mantissa ?? 1 };
    const levels = [aggregateLevels(bids, { side: 'bid', ...step }), aggregateLevels(asks, { side: 'ask', ...step })];
    const [bestBid, bestAsk] = [bids[0]?.[0], asks[0]?.[0]];
    const spread = bestBid === undefined || bestAsk === undefined ? '0.0' : toWire(new Decimal(bestAsk).minus(bestBid));
    return { coin, time, levels, spread };
  },
);
