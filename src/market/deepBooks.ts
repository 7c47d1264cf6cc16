// Reads the aggregated books that are wanted (trading-rules 3.5): the leader asks for them by REST, weight 2 each, because the venue's subscriptions
// are used up by the feeds of its coins. Which is next, `DeepTurns` says.
import type { Logger } from '../shared/logger.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { readDeepWants } from '../shared/venue/deepWants.ts';
import type { AskVenue } from '../shared/venue/marketRequests.ts';
import { type DeepQuestion, DeepTurns } from './deepTurns.ts';
import type { BookChange, DeepChange } from './domain/feed.ts';
import { readBook } from './domain/venueFrame.ts';

/** How often it is looked what is wanted, ms; a node waits 500 ms at most. */
const LOOK_MS = 100;
const TIMEOUT_MS = 3000;
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

export class DeepBooks {
  readonly #parts: DeepBooksParts;
  readonly #turns = new DeepTurns();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
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
    const { redis, realNow, onChange } = this.#parts;
    this.#turns.want(await readDeepWants(redis, realNow()));
    for (;;) {
      const question = this.#abort.signal.aborted ? undefined : this.#turns.next(performance.now());
      if (question === undefined) return;
      const book = await this.#ask(question);
      const change = book === undefined ? this.#turns.onNone() : this.#turns.onBook(book);
      if (change !== undefined) onChange(change);
    }
  }

  /** @returns undefined for a coin without a book, and at the end */
  async #ask(question: DeepQuestion): Promise<BookChange | undefined> {
    const { signal } = this.#abort;
    const answer = await this.#parts.ask({ type: 'l2Book', ...question }, { timeoutMs: TIMEOUT_MS, signal, isPatient: true });
    return answer === null || signal.aborted ? undefined : readBook(answer);
  }

  #onFailure(error: unknown): void {
    this.#turns.onNone();
    if (this.#abort.signal.aborted) return;
    this.#failures += 1;
    if (this.#failures % LOG_EVERY === 1)
      this.#parts.log.warn({ err: error, failures: this.#failures }, 'an aggregated book could not be read, trying again');
  }
}
