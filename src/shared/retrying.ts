// Work that is tried again after a failure: how long each pause before the next try is, and one metric that counts the pauses of
// the whole process.
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';

/** One for the process, so that nothing that tries again needs its registry; `collectProcessMetrics` registers it. */
export const retries = new Counter({
  name: 'retries_total',
  help: 'Pauses after a failure before something was tried again, by what that was.',
  labelNames: ['of'],
  registers: [],
});

export interface Pauses {
  readonly firstMs: number;
  /** Each pause is twice as long as the last, up to this; `firstMs` by default. */
  readonly mostMs?: number;
  /** The part of each pause, 0 to 1, that chance may take away; none by default. */
  readonly jitter?: number;
  /** From 0 to 1. */
  readonly chance?: () => number;
}

/** The pauses of one thing that may fail several times in a row. Where all pauses are equal it has no state, and may be shared. */
export class Retrying {
  readonly #of: string;
  readonly #pauses: Required<Pauses>;
  #ms: number;

  /** @param of names in the metric what is tried again */
  constructor(of: string, { firstMs, mostMs = firstMs, jitter = 0, chance = Math.random }: Pauses) {
    this.#of = of;
    this.#pauses = { firstMs, mostMs, jitter, chance };
    this.#ms = firstMs;
  }

  /** Counts a failure. @returns the pause before the next try, ms */
  nextMs(): number {
    retries.inc({ of: this.#of });
    const { mostMs, jitter, chance } = this.#pauses;
    const ms = this.#ms;
    this.#ms = Math.min(2 * ms, mostMs);
    return ms * (1 - jitter * chance());
  }

  /** The next failure begins with the first pause. */
  succeeded(): void {
    this.#ms = this.#pauses.firstMs;
  }
}

interface RetryOptions extends Pauses {
  /** Names in the metric what is tried again. */
  readonly of: string;
  /** What it throws ends the tries: the error itself, where another try is of no use. @param attempt from 1 on */
  readonly onFailure: (error: unknown, attempt: number) => void;
}

/** Tries until the work is done. @returns undefined when the signal has ended the tries, or the pause between two of them */
export function retry<Result>(
  work: () => Promise<Result>,
  options: RetryOptions & { readonly signal: AbortSignal },
): Promise<Result | undefined>;
export function retry<Result>(work: () => Promise<Result>, options: RetryOptions): Promise<Result>;
export async function retry<Result>(
  work: () => Promise<Result>,
  { of, onFailure, signal, ...pauses }: RetryOptions & { readonly signal?: AbortSignal },
): Promise<Result | undefined> {
  const retrying = new Retrying(of, pauses);
  for (let attempt = 1; signal?.aborted !== true; attempt++) {
    try {
      return await work();
    } catch (error) {
      onFailure(error, attempt);
      await sleep(retrying.nextMs(), undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
