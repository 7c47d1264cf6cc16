// When each of many things (API keys, sessions) was last used, in memory, and written at intervals: a write at every request
// would cost too much. What a killed node had not written is lost.
import type { Logger } from '../../../shared/logger.ts';
import { createSeldomLog, type SeldomLog } from '../limits/seldomLog.ts';

/** Things noted; past it uses of others are not noted until the next write. */
const NOTES_MAX = 100_000;

export interface LastUsesOptions {
  readonly everyMs: number;
  /** Writes times of uses, ms since the epoch, by id. @throws when the store is away: the times stay here then */
  readonly write: (notes: ReadonlyMap<string, number>) => Promise<void>;
  /** What is used, for the log. */
  readonly what: string;
  readonly log: Logger;
}

export class LastUses {
  readonly #options: LastUsesOptions;
  readonly #log: SeldomLog;
  #notes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LastUsesOptions) {
    this.#options = options;
    this.#log = createSeldomLog(options.log);
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), this.#options.everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  note(id: string, timeMs: number): void {
    if (this.#notes.size < NOTES_MAX || this.#notes.has(id)) this.#notes.set(id, timeMs);
  }

  /** A use that is not written yet, ms. */
  lastUse(id: string): number | undefined {
    return this.#notes.get(id);
  }

  /** Writes what was noted. Never throws. */
  async flush(): Promise<void> {
    if (this.#notes.size === 0) return;
    const notes = this.#notes;
    this.#notes = new Map();
    try {
      await this.#options.write(notes);
    } catch (error) {
      for (const [id, timeMs] of notes) if (!this.#notes.has(id)) this.note(id, timeMs);
      this.#log.warn('write', { err: error, count: notes.size }, `last uses of ${this.#options.what} could not be noted`);
    }
  }
}
