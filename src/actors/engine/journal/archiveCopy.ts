// The copy of the archive in ARCHIVE_DIR. It runs beside the archive and holds nothing up: a disk that is full, slow or away costs
// files, never history. What could not be written is tried again; what found no room in the queue is counted as missed. A file that was
// written while its document went, with a deleted account or for its age, goes too.
import type { Collection } from 'mongodb';
import { type FileOf, removeFile, writeChunkFile, writeStateFile } from '../../../shared/archive/archiveFolder.ts';
import type { ChunkDocument, StateDocument } from '../../../shared/archive/archiveForm.ts';
import type { Logger } from '../../../shared/logger.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { Retrying } from '../../../shared/retrying.ts';
import { waitAtMost } from '../../../shared/waiting.ts';
import type { ArchiveMetrics } from '../shardMetrics.ts';

/** Documents that wait to be copied, about 100 bytes each. */
const WAITING_MAX = 20_000;
/** Documents in memory at once. */
const READ_AT_ONCE = 16;
const RETRYING = new Retrying('archive_copy', { firstMs: 5000 });
/** A disk that gives no answer for so long counts as failing, each time that it has passed. */
const HANGS_AFTER_MS = 30_000;
/** Beyond that a file in hand holds no process that ends. */
const STOP_MS_MAX = 2000;

export interface ArchiveCopyParts {
  readonly dir: string;
  readonly mongo: MongoConnection;
  readonly log: Logger;
  readonly metrics: ArchiveMetrics;
  /** How the folder is written; default: the disk. */
  readonly disk?: ArchiveDisk;
  readonly hangsAfterMs?: number;
}

export interface ArchiveDisk {
  readonly writeChunkFile: typeof writeChunkFile;
  readonly writeStateFile: typeof writeStateFile;
}

export class ArchiveCopy {
  readonly #parts: ArchiveCopyParts;
  readonly #chunks = new Set<string>();
  readonly #states = new Set<string>();
  #isAtWork = false;
  #isStopped = false;
  #hasFailed = false;
  /** Files written, and times that the disk was waited for in vain. */
  #written = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: ArchiveCopyParts) {
    this.#parts = parts;
  }

  /** Documents that are in MongoDB by now, new or changed. */
  note(ids: { readonly chunks?: readonly string[]; readonly states?: readonly string[] }): void {
    let missed = 0;
    for (const [queue, more] of [[this.#chunks, ids.chunks ?? []] as const, [this.#states, ids.states ?? []] as const]) {
      for (const id of more) {
        if (this.#chunks.size + this.#states.size < WAITING_MAX) queue.add(id);
        else missed += 1;
      }
    }
    if (missed > 0) this.#parts.metrics.onCopyMissed(missed);
    if (this.#timer === undefined) this.#start();
  }

  /** Ends after the file in hand, or without it where the disk gives no answer; what waits still is missed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await waitAtMost(STOP_MS_MAX, this.#work);
  }

  #start(): void {
    if (this.#isAtWork || this.#isStopped) return;
    this.#isAtWork = true;
    const watch = this.#watch();
    this.#work = this.#copyAll()
      .then(() => this.#onCopied())
      .catch((error: unknown) => this.#onFailure(error))
      .finally(() => {
        clearInterval(watch);
        this.#isAtWork = false;
        // What was noted after the last look.
        if (this.#timer === undefined && this.#chunks.size + this.#states.size > 0) this.#start();
      });
  }

  /** A disk that hangs throws no error: it is told from one that works by what gets done. */
  #watch(): NodeJS.Timeout {
    const { metrics, log, dir, hangsAfterMs = HANGS_AFTER_MS } = this.#parts;
    let seen = this.#written;
    return setInterval(() => {
      if (this.#written === seen) {
        metrics.onCopyFailure();
        if (!this.#hasFailed) log.warn({ dir }, 'the archive cannot be copied, its folder gives no answer');
        this.#hasFailed = true;
      }
      seen = this.#written;
    }, hangsAfterMs).unref();
  }

  async #copyAll(): Promise<void> {
    const { mongo, disk = { writeChunkFile, writeStateFile } } = this.#parts;
    const { db } = mongo;
    while (this.#chunks.size + this.#states.size > 0 && !this.#isStopped) {
      await this.#copySome(this.#chunks, db.collection<ChunkDocument>(collections.archive), {
        ...{ kind: 'chunk', write: disk.writeChunkFile },
      });
      await this.#copySome(this.#states, db.collection<StateDocument>(collections.archiveStates), {
        ...{ kind: 'state', write: disk.writeStateFile },
      });
    }
  }

  async #copySome<Document extends { readonly _id: string; readonly account: string }>(
    queue: Set<string>,
    collection: Collection<Document>,
    { kind, write }: { kind: FileOf; write: (dir: string, document: Document) => Promise<void> },
  ): Promise<void> {
    const ids = [...queue].slice(0, READ_AT_ONCE);
    if (ids.length === 0) return;
    const documents = (await collection.find({ _id: { $in: ids } } as never).toArray()) as unknown as Document[];
    const found = new Map(documents.map((document) => [document._id, document]));
    for (const id of ids) {
      const document = found.get(id);
      // It is asked for again when it changes while it is written.
      queue.delete(id);
      if (document === undefined || this.#isStopped) continue;
      try {
        await write(this.#parts.dir, document);
        this.#written += 1;
        if ((await collection.countDocuments({ _id: id } as never)) === 0) await removeFile(this.#parts.dir, document, kind);
      } catch (error) {
        queue.add(id);
        throw error;
      }
    }
  }

  #onCopied(): void {
    if (this.#hasFailed) this.#parts.log.info({ dir: this.#parts.dir }, 'the archive is copied again');
    this.#hasFailed = false;
  }

  #onFailure(error: unknown): void {
    const { log, metrics, dir } = this.#parts;
    metrics.onCopyFailure();
    if (!this.#hasFailed) log.warn({ dir, err: error }, 'the archive cannot be copied, trying again');
    this.#hasFailed = true;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, RETRYING.nextMs()).unref();
  }
}
