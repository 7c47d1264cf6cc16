// One-minute candles made of trades, for the coins that have no candle feed: the venue's limit of subscriptions leaves room for some
// only. A minute counts from where all of its trades are known; one that began before the connection is left to the venue.
import { Decimal, toWire } from '../shared/domain/decimal.ts';
import { MINUTE_MS } from '../shared/domain/units.ts';
import type { MarketTrade, VenueCandle } from './domain/feed.ts';

interface Minute {
  readonly candle: VenueCandle;
  readonly tids: Set<number>;
}

export class TradeCandles {
  readonly #coins = new Map<string, { readonly knownSinceMs: number; minute: Minute | undefined }>();

  /** A connection has begun. @param knownSinceMs all trades of the coin from then on are known, or are yet to come */
  begin(coin: string, knownSinceMs: number): void {
    this.#coins.set(coin, { knownSinceMs, minute: undefined });
  }

  /**
   * @param trades oldest first; one that is repeated, or is of a minute that is over, changes nothing
   * @returns the candles that they change, each as it is after them, oldest first
   */
  onTrades(coin: string, trades: readonly MarketTrade[]): VenueCandle[] {
    const known = this.#coins.get(coin);
    const changed = new Map<number, VenueCandle>();
    for (const trade of known === undefined ? [] : trades) {
      const t = trade.timeMs - (trade.timeMs % MINUTE_MS);
      if (known === undefined || t < known.knownSinceMs || t < (known.minute?.candle.t ?? 0)) continue;
      const before = known.minute?.candle.t === t ? known.minute : undefined;
      if (before?.tids.has(trade.tid)) continue;
      known.minute = {
        candle: before === undefined ? firstOf(coin, t, trade) : withTrade(before.candle, trade),
        tids: (before?.tids ?? new Set()).add(trade.tid),
      };
      changed.set(t, known.minute.candle);
    }
    return [...changed.values()];
  }
}

function firstOf(coin: string, t: number, { price, size }: MarketTrade): VenueCandle {
  const v = toWire(new Decimal(size));
  return { t, T: t + MINUTE_MS - 1, s: coin, i: '1m', o: price, c: price, h: price, l: price, v, n: 1 };
}

function withTrade(candle: VenueCandle, { price, size }: MarketTrade): VenueCandle {
  return {
    ...candle,
    c: price,
    h: new Decimal(price).gt(candle.h) ? price : candle.h,
    l: new Decimal(price).lt(candle.l) ? price : candle.l,
    v: toWire(new Decimal(candle.v).plus(size)),
    n: candle.n + 1,
  };
}
