// A market leader of a test's own: it writes a given state, publishes changes in order, and trades on demand.

import type { BookChange, ContextChange, FeedLevel, MarketChange, MarketTrade } from '../../src/market/domain/feed.ts';
import { NEWEST_FORMAT, writeForm } from '../../src/shared/domain/formats.ts';
import { marketKeys } from '../../src/shared/redis/keys.ts';
import type { Redis } from '../../src/shared/redis/redis.ts';

export interface ScriptedCoin {
  readonly coin: string;
  readonly markPrice: string;
  readonly bids: readonly (readonly [price: string, size: string])[];
  readonly asks: readonly (readonly [price: string, size: string])[];
}

/** One coin, asset 0: tick 1, lot 0.00001, 40x, a deep book around 65,000. */
export const BTC: ScriptedCoin = {
  coin: 'BTC',
  markPrice: '65000',
  bids: [
    ['64999', '1000'],
    ['64998', '1000'],
  ],
  asks: [
    ['65001', '1000'],
    ['65002', '1000'],
  ],
};

export class ScriptedMarket {
  readonly #redis: Redis;
  readonly #leader = `scripted-${Math.random()}`;
  readonly #coins: readonly ScriptedCoin[];
  #seq = 0;
  #tid = 0;

  constructor(redis: Redis, coins: readonly ScriptedCoin[] = [BTC]) {
    this.#redis = redis;
    this.#coins = coins;
  }

  /** Writes the whole state, as a leader that has just come does. */
  async start(): Promise<void> {
    const universe = this.#coins.map(({ coin }) => ({ name: coin, szDecimals: 5, maxLeverage: 40, marginTableId: 40 }));
    const fields: Record<string, string> = {
      meta: writeForm({ type: 'meta', meta: { universe } }, NEWEST_FORMAT),
      status: writeForm({ type: 'status', source: 'emulated', connectedSinceMs: Date.now() }, NEWEST_FORMAT),
    };
    for (const coin of this.#coins) {
      fields[`book:${coin.coin}`] = writeForm(bookOf(coin), NEWEST_FORMAT);
      fields[`ctx:${coin.coin}`] = writeForm(contextOf(coin), NEWEST_FORMAT);
    }
    await this.#redis.hset(marketKeys.state, fields);
    await this.publish([]);
  }

  /** The same books and marks with the present time. */
  async refresh(): Promise<void> {
    await this.publish(this.#coins.flatMap((coin) => [bookOf(coin), contextOf(coin)]));
  }

  async setBook(coin: string, sides: Pick<ScriptedCoin, 'bids' | 'asks'>): Promise<void> {
    await this.publish([bookOf({ coin, markPrice: '0', ...sides })]);
  }

  /** A new mark, and oracle and mid with it, also for followers that load the state later. */
  async setMark(coin: string, markPrice: string): Promise<void> {
    const change = contextOf({ coin, markPrice });
    await this.keep(`ctx:${coin}`, change);
    await this.publish([change]);
  }

  /** The state for a follower that loads it, without a message to anybody. */
  async keep(field: string, change: MarketChange): Promise<void> {
    await this.#redis.hset(marketKeys.state, field, writeForm(change, NEWEST_FORMAT));
  }

  /** The next message will not be the message that followers expect: they load the state. */
  skipMessage(): void {
    this.#seq += 1;
  }

  /** Public trades in one entry of the tick stream. @returns its tick */
  async trade(coin: string, trades: readonly Pick<MarketTrade, 'side' | 'price' | 'size'>[]): Promise<string> {
    const timeMs = Date.now() + 1;
    const change = {
      type: 'trades' as const,
      coin,
      trades: trades.map((trade) => {
        this.#tid += 1;
        return { ...trade, timeMs, tid: this.#tid };
      }),
    };
    const tick = (await this.#redis.xadd(marketKeys.ticks, '*', 'd', writeForm(change, NEWEST_FORMAT))) as string;
    await this.publish([{ ...change, tick }], tick);
    return tick;
  }

  async publish(changes: readonly MarketChange[], tick?: string): Promise<void> {
    this.#seq += 1;
    await this.#redis.hset(marketKeys.sequence, { leader: this.#leader, seq: this.#seq, ...(tick && { tick }) });
    const written = changes.map((change) => ({ ...change, v: NEWEST_FORMAT }));
    await this.#redis.publish(
      marketKeys.feed,
      writeForm({ leader: this.#leader, seq: this.#seq, changes: written }, NEWEST_FORMAT),
    );
  }
}

const levels = (side: ScriptedCoin['bids']): FeedLevel[] => side.map(([price, size]) => [price, size, 1]);

const bookOf = ({ coin, bids, asks }: ScriptedCoin): BookChange => ({
  type: 'book',
  coin,
  timeMs: Date.now(),
  bids: levels(bids),
  asks: levels(asks),
});

export const contextOf = ({ coin, markPrice }: Pick<ScriptedCoin, 'coin' | 'markPrice'>): ContextChange => ({
  type: 'context',
  coin,
  timeMs: Date.now(),
  context: {
    funding: '0.0000125',
    openInterest: '1000',
    prevDayPx: markPrice,
    dayNtlVlm: '1000000',
    premium: '0',
    oraclePx: markPrice,
    markPx: markPrice,
    midPx: markPrice,
    impactPxs: [markPrice, markPrice],
  },
});
