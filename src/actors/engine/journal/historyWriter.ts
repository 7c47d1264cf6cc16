// Carries a shard's journal into MongoDB: history rows, then snapshots, then the position, and cuts the journal
// behind it. It reads the journal from Redis under the owner's token, never from memory. After any failure it starts
// a new session from the position in MongoDB.
import { MongoError } from 'mongodb';
import type { Config } from '../../../shared/config/config.ts';
import { NewerFormat } from '../../../shared/domain/formats.ts';
import { LeaseLost, RetryableError } from '../../../shared/errors.ts';
import { isMongoAway } from '../../../shared/mongo/mongo.ts';
import { Retrying } from '../../../shared/retrying.ts';
import { waitAtMost } from '../../../shared/waiting.ts';
import { HistorySession, type HistorySessionParts } from './historySession.ts';

/**
 * How often the journal is read: half of the delay, within these. Rows gathered meanwhile go into a document at once, and a store
 * works on the whole document for each time that it grows.
 */
const POLL_MS_MIN = 100;
const POLL_MS_MAX = 5000;
/** A stop does not wait for MongoDB longer than this: the next owner writes the rest. */
const STOP_WITHIN_MS = 500;

export interface HistoryWriterParts
  extends Omit<HistorySessionParts, 'config' | 'delayMs' | 'onWaiting' | 'onArchive' | 'onWritten'> {
  readonly config: Pick<Config, 'SHARDS' | 'REDIS_DURABILITY' | 'HISTORY_DELAY_MS' | 'JOURNAL_LAG_MS'>;
  /**
   * The shard cannot go on under this owner, and nothing is written any more: a later owner has it, MongoDB knows a later
   * epoch than this owner's, or a newer build has written something in the journal or in MongoDB.
   */
  readonly onEnd: (error: LeaseLost | NewerFormat) => void;
  /** MongoDB has all entries up to a commit. @param begunMs when their writing was begun, by `performance.now()` */
  readonly onWritten: (upTo: number, begunMs: number) => void;
}

/** Ages of the oldest entries, ms, and whether MongoDB fails to answer. */
export interface HistoryStatus {
  /** Of those that MongoDB lacks. */
  readonly lagMs: number;
  /** Of those that history has and the archive lacks. */
  readonly archiveLagMs: number;
  readonly mongoDown: boolean;
}

export class HistoryWriter {
  readonly #parts: HistoryWriterParts;
  readonly #delayMs: number;
  readonly #pollMs: number;
  #isStopping = false;
  #wake: () => void = () => undefined;
  #loop: Promise<void> = Promise.resolve();
  readonly #retrying = new Retrying('history', { firstMs: 100, mostMs: 2000 });
  #failures = 0;
  #written = 0;
  #mongoDown = false;
  #oldestUnwrittenMs: number | undefined;
  #archiveLagMs = 0;

  constructor(parts: HistoryWriterParts) {
    const { config } = parts;
    this.#parts = parts;
    this.#delayMs = config.REDIS_DURABILITY === 'always' ? 0 : config.HISTORY_DELAY_MS;
    this.#pollMs = Math.min(Math.max(this.#delayMs / 2, POLL_MS_MIN), POLL_MS_MAX);
  }

  /** `written`: entries since the start. */
  get status(): HistoryStatus & { readonly written: number } {
    const oldestMs = this.#oldestUnwrittenMs;
    const lagMs = oldestMs === undefined ? 0 : Math.max(0, this.#parts.realNow() - oldestMs);
    return { lagMs, archiveLagMs: this.#archiveLagMs, mongoDown: this.#mongoDown, written: this.#written };
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Ends after the write in flight, or without it when that takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await waitAtMost(STOP_WITHIN_MS, this.#loop);
  }

  async #run(): Promise<void> {
    const { shard, config, onEnd } = this.#parts;
    // Spread over the interval: the shards of a pod that all wrote in one moment would keep its accounts waiting.
    await this.#pause((this.#pollMs * shard) / config.SHARDS);
    while (!this.#isStopping) {
      try {
        await this.#write();
      } catch (error) {
        if (this.#isStopping) return;
        // A shard that went on without its history would fill its journal, and its next owner could not write it either.
        if (error instanceof LeaseLost || error instanceof NewerFormat) return onEnd(error);
        this.#onFailure(error);
        await this.#pause(this.#retrying.nextMs());
      }
    }
  }

  /** One session, until the writer is stopped or something fails. */
  async #write(): Promise<void> {
    let begunMs = 0;
    const session = await HistorySession.begin({
      ...this.#parts,
      delayMs: this.#delayMs,
      onWaiting: (oldestMs) => (this.#oldestUnwrittenMs = oldestMs),
      onArchive: (lagMs) => (this.#archiveLagMs = lagMs),
      onWritten: (entries, upTo) => {
        this.#written += entries;
        this.#parts.onWritten(upTo, begunMs);
      },
    });
    while (!this.#isStopping) {
      begunMs = performance.now();
      const isBehind = await session.round();
      this.#onSuccess();
      if (!isBehind) await this.#pause(this.#pollMs);
    }
  }

  #onSuccess(): void {
    const { log, shard } = this.#parts;
    if (this.#failures > 0) log.info({ shard }, 'history is written again');
    this.#failures = 0;
    this.#retrying.succeeded();
    this.#mongoDown = false;
  }

  #onFailure(error: unknown): void {
    const { log, shard } = this.#parts;
    const isMongo = error instanceof MongoError || isMongoAway(error);
    this.#mongoDown ||= isMongo;
    this.#failures += 1;
    const fields = { shard, failures: this.#failures, err: error };
    if (!isMongo && !(error instanceof RetryableError)) log.error(fields, 'history cannot be written');
    else if (this.#failures === 1) log.warn(fields, 'history waits');
    else log.debug(fields, 'history waits');
  }

  #pause(ms: number): Promise<void> {
    if (this.#isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
