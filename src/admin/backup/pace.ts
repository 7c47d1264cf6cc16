// How fast a backup or a restore may read and write: it shares the stores with those who trade.
import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '../../operators/operatorParts.ts';

const MB = 1_000_000;
const RATE_MAX = 10_000;

/** Unused time that may be made up for, ms: a store that was slow is not overrun afterwards. */
const CREDIT_MS_MAX = 200;

export class Pace {
  readonly #bytesPerMs: number;
  /** When all that was spent is due, by `performance.now()`. */
  #dueAt = performance.now();

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  /** Resolves when so many bytes more are within the bound. */
  async spend(bytes: number): Promise<void> {
    const now = performance.now();
    this.#dueAt = Math.max(this.#dueAt, now - CREDIT_MS_MAX) + bytes / this.#bytesPerMs;
    if (this.#dueAt > now) await pause(this.#dueAt - now);
  }
}

/**
 * @param text megabytes a second; absent = `standard`
 * @throws {UsageError}
 */
export function readPace(text: string | undefined, { standard }: { standard: number }): Pace {
  const rate = Number(text ?? standard);
  if (!(rate > 0 && rate <= RATE_MAX)) throw new UsageError(`--rate is megabytes a second, above 0 and up to ${RATE_MAX}.`);
  return new Pace(rate * MB);
}
