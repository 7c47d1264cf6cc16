// Keeps the aggregated books that are wanted (trading-rules 3.5): the leader asks for them by REST, weight 2 each, because the venue's subscriptions
// are used up by the feeds of its coins. A side begins with the finest prices that reach further than its displayed levels, and gets coarser ones
// until it has what is wanted, each side by itself.
import type { Logger } from '../shared/logger.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { readDeepWants } from '../shared/venue/deepWants.ts';
import type { AskVenue } from '../shared/venue/marketRequests.ts';
import type { BookAggregation } from './domain/aggregateBook.ts';
import type { BookChange, DeepChange, FeedLevel } from './domain/feed.ts';
import { readBook } from './domain/venueFrame.ts';

/** How often it is looked what is wanted, ms; a node waits 500 ms at most. */
const LOOK_MS = 100;
/** A book is asked for again after this, ms: well below the age at which orders are refused. */
const EVERY_MS = 3000;
/** Questions: two a second, 240 of weight a minute, and as many at once after a pause. */
const QUESTION_MS = 500;
const AT_ONCE_MAX = 8;
const TIMEOUT_MS = 3000;
const FINEST = 5;
const COARSEST = 2;
/** One in this many failures is logged. */
const LOG_EVERY = 20;

export interface DeepBooksParts {
  readonly log: Logger;
  readonly redis: Redis;
  readonly ask: AskVenue;
  /** By Redis's clock. */
  readonly realNow: () => number;
  readonly onChange: (change: DeepChange) => void;
}

type Digits = BookAggregation['nSigFigs'];

/** Digits of each side. */
interface Kept {
  bids: Digits;
  asks: Digits;
  /** By `performance.now()`. */
  askedAtMs: number;
}

export class DeepBooks {
  readonly #parts: DeepBooksParts;
  readonly #kept = new Map<string, Kept>();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #allowance = AT_ONCE_MAX;
  #refilledAtMs = performance.now();
  #failures = 0;

  constructor(parts: DeepBooksParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .catch((error: unknown) => this.#onFailure(error))
        .finally(() => {
          if (!this.#abort.signal.aborted) this.start();
        });
    }, LOOK_MS);
  }

  stop(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { redis, realNow } = this.#parts;
    const wanted = await readDeepWants(redis, realNow());
    for (const coin of this.#kept.keys()) if (!wanted.has(coin)) this.#kept.delete(coin);
    for (const coin of wanted.keys()) {
      if (!this.#kept.has(coin)) this.#kept.set(coin, { bids: FINEST, asks: FINEST, askedAtMs: Number.NEGATIVE_INFINITY });
    }
    const due = [...this.#kept].filter(([, { askedAtMs }]) => performance.now() - askedAtMs >= EVERY_MS);
    // A new one first, then the one that was asked for longest ago.
    due.sort(([, a], [, b]) => a.askedAtMs - b.askedAtMs);
    for (const [coin, kept] of due) {
      if (this.#abort.signal.aborted || !this.#mayAsk()) return;
      await this.#load(coin, kept, wanted.get(coin) ?? 0);
    }
  }

  /** Asks with coarser prices until each side reaches far enough. */
  async #load(coin: string, kept: Kept, coins: number): Promise<void> {
    kept.askedAtMs = performance.now();
    const books = new Map<number, BookChange>();
    for (;;) {
      for (const digits of [kept.bids, kept.asks]) {
        if (books.has(digits)) continue;
        if (books.size > 0 && !this.#mayAsk()) return;
        const book = await this.#ask(coin, digits);
        if (book === undefined) return;
        books.set(digits, book);
      }
      const [ofBids, ofAsks] = [books.get(kept.bids), books.get(kept.asks)];
      if (ofBids === undefined || ofAsks === undefined) return;
      const [bids, asks] = [ofBids.bids, ofAsks.asks];
      const timeMs = Math.min(ofBids.timeMs, ofAsks.timeMs);
      this.#parts.onChange({ type: 'deep', coin, timeMs, digits: { bids: kept.bids, asks: kept.asks }, bids, asks });
      const [reachesDown, reachesUp] = [
        sumOf(bids) >= coins || kept.bids === COARSEST,
        sumOf(asks) >= coins || kept.asks === COARSEST,
      ];
      if (reachesDown && reachesUp) return;
      if (!reachesDown) kept.bids = coarser(kept.bids);
      if (!reachesUp) kept.asks = coarser(kept.asks);
    }
  }

  /** @returns undefined for a coin without a book, and at the end */
  async #ask(coin: string, nSigFigs: Digits): Promise<BookChange | undefined> {
    const { signal } = this.#abort;
    const answer = await this.#parts.ask({ type: 'l2Book', coin, nSigFigs }, { timeoutMs: TIMEOUT_MS, signal, isPatient: true });
    return answer === null || signal.aborted ? undefined : readBook(answer);
  }

  /** Takes one question off the allowance. */
  #mayAsk(): boolean {
    const nowMs = performance.now();
    this.#allowance = Math.min(AT_ONCE_MAX, this.#allowance + (nowMs - this.#refilledAtMs) / QUESTION_MS);
    this.#refilledAtMs = nowMs;
    if (this.#allowance < 1) return false;
    this.#allowance -= 1;
    return true;
  }

  #onFailure(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#failures += 1;
    if (this.#failures % LOG_EVERY === 1)
      this.#parts.log.warn({ err: error, failures: this.#failures }, 'an aggregated book could not be read, trying again');
  }
}

const coarser = (digits: Digits): Digits => Math.max(COARSEST, digits - 1) as Digits;

const sumOf = (levels: readonly FeedLevel[]): number => levels.reduce((sum, [, size]) => sum + Number(size), 0);
