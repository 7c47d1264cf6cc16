// The stop of a process: at a signal it closes what is open, last opened first, and each part within its time.
import type { Logger } from '../logger.ts';
import { waitAtMost } from '../waiting.ts';

/** Longest that the stop waits for one part, ms: its connection may be dead. */
const CLOSE_MS_MAX = 8000;
/** Longest a stop may take, ms. Recovery deals with what still runs then, as it does after a crash. */
const STOP_MS_MAX = 15_000;

/** A part of the process that is open. */
interface Closer {
  readonly name: string;
  readonly close: () => Promise<unknown> | unknown;
}

export class ProcessStop {
  readonly #log: Logger;
  readonly #closers: Closer[] = [];
  #isAsked = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  readonly asked = (): boolean => this.#isAsked;

  /** The stop closes this part before all parts that were there earlier. */
  add(name: string, close: Closer['close']): void {
    this.#closers.push({ name, close });
  }

  /** The first SIGTERM or SIGINT begins the stop; a second one ends the process at once. */
  onSignals(): void {
    const onSignal = (signal: NodeJS.Signals): void => {
      if (this.#isAsked) process.exit(1);
      this.#log.info({ signal }, 'stopping');
      this.#stop(0);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  }

  /** As a signal does, with the status of a failure. */
  withError(): void {
    if (!this.#isAsked) this.#stop(1);
  }

  /** A broken invariant in the shell ends the process. Its supervisor starts it again, and recovery does the rest. */
  exitOnUnhandledError(): void {
    const exit = (error: unknown): void => {
      this.#log.fatal({ err: error }, 'ended by an unhandled error');
      process.exit(1);
    };
    process.on('uncaughtException', exit);
    process.on('unhandledRejection', exit);
  }

  #stop(status: number): void {
    this.#isAsked = true;
    setTimeout(() => {
      this.#log.error({ afterMs: STOP_MS_MAX, open: this.#closers.map(({ name }) => name) }, 'stop took too long');
      process.exit(1);
    }, STOP_MS_MAX).unref();
    this.#closeAll().then(
      () => process.exit(status),
      (error: unknown) => {
        this.#log.error({ err: error }, 'stop failed');
        process.exit(1);
      },
    );
  }

  async #closeAll(): Promise<void> {
    for (let closer = this.#closers.pop(); closer; closer = this.#closers.pop()) {
      const { name, close } = closer;
      const closed = await closesWithin(CLOSE_MS_MAX, Promise.resolve(close()));
      if (closed) this.#log.info({ closed: name }, 'closed');
      else this.#log.warn({ name, afterMs: CLOSE_MS_MAX }, 'a part does not end, going on without it');
    }
  }
}

async function closesWithin(ms: number, closing: Promise<unknown>): Promise<boolean> {
  let isClosed = false;
  const closed = closing.then(() => {
    isClosed = true;
  });
  await waitAtMost(ms, closed);
  return isClosed;
}
