// `candle`: the candle in progress of one coin and length, whenever it changes. The last state of each candle is
// never lost.

import { candleEnd, candleStart, type Interval } from '../../../market/domain/candleInterval.ts';
import type { VenueCandle } from '../../../market/domain/feed.ts';
import { RequestError } from '../../../shared/errors.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { PayingServices } from '../../accounts/askVenue.ts';
import { readCandles } from '../../accounts/readCandles.ts';
import { type RunningCandle, runningOf, toVenueCandle, withMinute } from '../../domain/candles.ts';
import { CoinText } from '../../http/requestReader.ts';
import { Candle, IntervalText } from '../../info/candles.ts';
import { channel, type Subscription, type SubscriptionReader, subscriptionReader } from '../channel/channel.ts';
import type { MarketParts } from '../channel/marketStream.ts';
import { toMessage } from '../channel/message.ts';
import type { Broadcast, Source } from '../channel/sharedChannel.ts';
import { coinChannel, paidBySubscribers, poll } from '../channel/sources.ts';

const read = subscriptionReader('candle', { coin: CoinText, interval: IntervalText }) as SubscriptionReader<CandleSubscription>;

export const candle = channel(read, {
  about: 'The candle in progress of one coin and length, whenever it changes. Its last state is never lost.',
  messages: { candle: Candle },
  example: { coin: 'BTC', interval: '1m' },
  // Closed candles are kept for all, and the one in progress comes from the feed.
  weight: 0,
  serve: (parts: MarketParts) =>
    coinChannel(
      {
        perp: (subscription, broadcast) => CandleSource.open(subscription, parts, broadcast),
        spot: (subscription, broadcast) => askedCandles(subscription, parts, broadcast),
      },
      parts.services,
    ),
});

/** Candles of spot pairs, which are not in the feed. */
async function askedCandles(
  { coin, interval }: CandleSubscription,
  { services }: MarketParts,
  broadcast: Broadcast,
): Promise<Source> {
  /** The newest two. */
  const paying = paidBySubscribers(services, broadcast);
  const ask = async (): Promise<readonly VenueCandle[]> => {
    const startTime = candleStart(interval, candleStart(interval, services.now()) - 1);
    const rows = await readCandles({ coin, interval, startTime }, paying);
    return rows.slice(-2);
  };
  let last = (await ask()).at(-1);
  const end = poll({ services }, async () => {
    for (const row of await ask()) {
      if (last !== undefined && (row.t < last.t || (row.t === last.t && row.n === last.n && row.c === last.c))) continue;
      if (row.t !== last?.t) broadcast.seal();
      last = row;
      broadcast.latest(toMessage('candle', row));
    }
  });
  return { snapshot: () => (last === undefined ? [] : [toMessage('candle', last)]), close: end };
}

/** Time from a failed read to the next, ms; twice as long after each further one, and longer where the failure says so. */
export const CANDLE_PAUSES = { firstMs: 2000, mostMs: 30_000 };

interface CandleSubscription extends Subscription {
  readonly coin: string;
  readonly interval: Interval;
}

/**
 * The candle in progress of a coin that is followed here: what is known of it, continued by the minutes of the
 * feed. After a gap of the feed the candle is read again, because a minute may have ended unseen.
 */
class CandleSource implements Source {
  readonly #subscription: CandleSubscription;
  readonly #parts: MarketParts;
  readonly #broadcast: Broadcast;
  readonly #paying: PayingServices;
  readonly #endListening: () => void;
  #candle: RunningCandle | undefined;
  #sinceMs: number | null = null;
  /** Minutes that arrived during a read of closed candles; undefined when none is under way. */
  #waiting: VenueCandle[] | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #retrying = new Retrying('candle', CANDLE_PAUSES);
  #isClosed = false;

  private constructor(subscription: CandleSubscription, parts: MarketParts, broadcast: Broadcast) {
    this.#subscription = subscription;
    this.#parts = parts;
    this.#broadcast = broadcast;
    this.#paying = paidBySubscribers(parts.services, broadcast);
    this.#endListening = parts.market.listen(`candle:${subscription.coin}`, (change) => {
      if (change?.type === 'candle' && this.#connectedSinceMs() === this.#sinceMs) this.#onMinute(change.candle);
      else if (this.#retry === undefined) this.#readAgain();
    });
  }

  /**
   * A venue that may not be asked or does not answer refuses no subscription: the candle comes when it is known.
   * @throws {RequestError} 400 when the venue refuses the question
   */
  static async open(subscription: CandleSubscription, parts: MarketParts, broadcast: Broadcast): Promise<CandleSource> {
    const source = new CandleSource(subscription, parts, broadcast);
    try {
      await source.#read();
    } catch (error) {
      if (!(error instanceof RequestError) || error.status === 400) {
        source.close();
        throw error;
      }
      source.#retryAfter(error);
    }
    return source;
  }

  snapshot(): readonly Buffer[] {
    const candle = this.#candle && toVenueCandle(this.#candle);
    return candle === undefined ? [] : [toMessage('candle', candle)];
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#endListening();
  }

  #onMinute(minute: VenueCandle): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(minute);
      return;
    }
    const before = this.#candle;
    if (before === undefined) return;
    const candle = withMinute(before, minute);
    if (candle === before) return;
    this.#candle = candle;
    if (candle.startMs !== before.startMs) this.#broadcast.seal();
    this.#push();
  }

  #push(): void {
    for (const message of this.snapshot()) this.#broadcast.latest(message);
  }

  #readAgain(): void {
    if (this.#waiting !== undefined || this.#isClosed) return;
    this.#retry = undefined;
    const startMs = this.#candle?.startMs;
    this.#read().then(
      () => {
        if (this.#isClosed) return;
        if (this.#candle?.startMs !== startMs) this.#broadcast.seal();
        this.#push();
      },
      (error: unknown) => {
        if (!this.#isClosed) this.#retryAfter(error);
      },
    );
  }

  #retryAfter(error: unknown): void {
    this.#parts.services.log.debug({ err: error }, 'the past of a candle could not be read');
    this.#retry = setTimeout(() => this.#readAgain(), readAgainMs(error, this.#retrying.nextMs()));
  }

  async #read(): Promise<void> {
    const sinceMs = this.#connectedSinceMs();
    this.#waiting = [];
    try {
      const candle = await this.#readPast();
      this.#candle = this.#waiting.reduce(withMinute, candle);
      this.#sinceMs = sinceMs;
      this.#retrying.succeeded();
    } finally {
      this.#waiting = undefined;
    }
  }

  /** The candle as the venue and the feed have it now. */
  async #readPast(): Promise<RunningCandle> {
    const { services } = this.#parts;
    const { coin, interval } = this.#subscription;
    const minuteNow = (): VenueCandle | undefined => services.candles.minutes.from(coin, services.now(), services.now())?.at(-1);
    const minute = minuteNow();
    if (interval === '1m' && minute !== undefined) return { coin, interval, startMs: minute.t, endMs: minute.T + 1, minute };
    const startTime = candleStart(interval, candleStart(interval, services.now()) - 1);
    const row = (await readCandles({ coin, interval, startTime }, this.#paying)).at(-1);
    if (row !== undefined) return runningOf(row, minuteNow());
    const startMs = candleStart(interval, services.now());
    return { coin, interval, startMs, endMs: candleEnd(interval, startMs), minute: minuteNow() };
  }

  #connectedSinceMs(): number | null {
    return this.#parts.services.market.status?.connectedSinceMs ?? null;
  }
}

/**
 * Thousands of candles may have to be read again after a gap of the feed, and the venue answers some dozens a minute.
 * @param pauseMs at least
 */
export function readAgainMs(error: unknown, pauseMs: number): number {
  const seconds = error instanceof RequestError ? Number(error.headers['Retry-After'] ?? 0) : 0;
  return Math.max(pauseMs, 1000 * seconds) * (1 + Math.random());
}
