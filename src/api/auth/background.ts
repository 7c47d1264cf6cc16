// Runs work that an answer does not wait for, so that neither its time nor its text reveals what the work found:
// whether an address is known, whether a mail server answers. The work is bounded. Work of a node that is killed is
// lost.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/waiting.ts';

const RUNNING_MAX = 8;
/** Pieces of work that may wait. */
const WAITING_MAX = 1000;
const ATTEMPTS = 3;
const TRY_AGAIN_MS = 5000;
/** How long a stop waits for running work, ms. */
const STOP_MS_MAX = 3000;

interface Work {
  /** Names the work in the log when it fails. */
  readonly name: string;
  readonly requestId: string;
  /** May be run again when it throws. */
  readonly run: () => Promise<void>;
}

export class Background {
  readonly #log: Logger;
  readonly #waiting: Work[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Pieces of work that run or wait. */
  get load(): number {
    return this.#running.size + this.#waiting.length;
  }

  /** @returns false when too much work waits already: this work will not run */
  start(work: Work): boolean {
    if (this.#waiting.length >= WAITING_MAX || this.#stop.signal.aborted) return false;
    this.#waiting.push(work);
    this.#next();
    return true;
  }

  /** Begins no more work; resolves when the running work has ended or its time is over. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const left = this.#waiting.splice(0).length;
    if (left > 0) this.#log.warn({ left }, 'work in the background is left undone');
    await withTimeout(STOP_MS_MAX, 'work in the background', Promise.all(this.#running)).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'work in the background is left undone'),
    );
  }

  #next(): void {
    if (this.#running.size >= RUNNING_MAX) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    const running = this.#try(work).finally(() => {
      this.#running.delete(running);
      this.#next();
    });
    this.#running.add(running);
  }

  async #try({ name, requestId, run }: Work): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        const isLast = attempt === ATTEMPTS || this.#stop.signal.aborted;
        this.#log[isLast ? 'error' : 'warn']({ requestId, work: name, attempt, err: error }, 'work in the background failed');
        if (isLast) return;
      }
      // A stop ends the pause; the attempt after it is the last.
      await pause(TRY_AGAIN_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }
}
