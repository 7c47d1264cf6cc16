// The coins whose open interest the venue holds at its cap, asked for once a minute. Without an answer those of before stay: the
// listing and the contexts do not wait for it.
import type { Logger } from '../shared/logger.ts';

/** How often the venue is asked, ms. */
const RELOAD_MS = 60_000;

interface CappedParts {
  /** Asks the venue by REST, until the signal. */
  readonly ask: (body: object) => Promise<unknown>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export class CappedCoins {
  readonly #parts: CappedParts;
  #coins: readonly string[] = [];
  #askedMs = 0;

  constructor(parts: CappedParts) {
    this.#parts = parts;
  }

  /** @returns the coins at their cap, as far as the venue has said */
  async at(nowMs: number): Promise<readonly string[]> {
    if (nowMs - this.#askedMs < RELOAD_MS) return this.#coins;
    this.#askedMs = nowMs;
    try {
      const answer = await this.#parts.ask({ type: 'perpsAtOpenInterestCap' });
      if (!Array.isArray(answer) || !answer.every((coin) => typeof coin === 'string')) throw new Error('no list of coins');
      this.#coins = answer;
    } catch (error) {
      if (this.#parts.signal.aborted) return this.#coins;
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.log.warn({ reason }, 'coins at their open-interest cap could not be read');
    }
    return this.#coins;
  }
}
