// When a pod sends its heartbeat: at regular times, and sooner on request. One heartbeat runs at a time; a request
// during one is served after it.
import type { Logger } from '../../../shared/logger.ts';

export class BeatLoop {
  readonly #everyMs: number;
  readonly #beat: () => Promise<void>;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #soonTimer: NodeJS.Timeout | undefined;

  constructor(options: { log: Logger; everyMs: number; beat: () => Promise<void> }) {
    this.#log = options.log;
    this.#everyMs = options.everyMs;
    this.#beat = options.beat;
  }

  start(): void {
    this.#timer = setInterval(() => this.soon(), this.#everyMs);
    this.soon();
  }

  /** Beats now, or after the beat that is running. */
  soon(): void {
    if (this.#isStopped) return;
    this.#isWanted = this.#running !== undefined;
    if (this.#isWanted) return;
    this.#running = this.#beat()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'heartbeat failed'))
      .finally(() => {
        this.#running = undefined;
        if (this.#isWanted) this.soon();
      });
  }

  /** Beats after this time instead of the one named before, if that is before the next regular beat. */
  soonAfter(ms: number): void {
    clearTimeout(this.#soonTimer);
    if (ms < this.#everyMs && !this.#isStopped) this.#soonTimer = setTimeout(() => this.soon(), ms);
  }

  /** Resolves when the beat that is running has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soonTimer);
    await this.#running;
  }
}
