// Takes a shard's journal into the archive, behind the history and before the journal is cut: a part of the history writer's
// session (historySession.ts). It reads the journal a second time, a long stretch at once, so that an account's entries are
// compressed together. A failure here holds up the cut and nothing else.
import { firstOfChunk } from '../../../shared/archive/archiveForm.ts';
import { type FormatSource, NewerFormat } from '../../../shared/domain/formats.ts';
import { LeaseLost } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { ArchiveMetrics } from '../shardMetrics.ts';
import type { ArchiveCopy } from './archiveCopy.ts';
import { ArchiveStates } from './archiveStates.ts';
import { ArchiveBatch, appendChunks, type ChunkAppend, mergeChunk } from './archiveStore.ts';
import { type Journal, JournalPages } from './journal.ts';
import type { StoredSnapshot } from './snapshots.ts';

/** Entries wait for others of their account so long, or half of the time that they stay in the journal. */
const EVERY_MS_MAX = 30_000;
/** Text of the journal that is archived at once. */
const STRETCH_CHARS = 2 * 1024 * 1024;
/** More of it does not wait: the journal is cut that much later than without an archive, and a stretch takes it in at once. */
const WAITING_CHARS_MAX = STRETCH_CHARS;
/** A full chunk of fewer parts stays as it is: merging takes more than writing did, and halves what many small parts take on disk. */
const MERGED_PARTS_MIN = 12;

/** What a process has once for all its archivers. */
export interface ArchiveParts {
  readonly metrics: ArchiveMetrics;
  /** Undefined without ARCHIVE_DIR. */
  readonly copy: ArchiveCopy | undefined;
}

export interface ArchiverParts {
  readonly journal: Journal;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  readonly shard: number;
  readonly log: Logger;
  readonly archive: ArchiveParts;
  readonly lagMs: number;
  readonly realNow: () => number;
  readonly nextTurn: () => Promise<void>;
  /** @throws {RetryableError} when a write may not begin any more */
  readonly mayWrite: () => void;
}

export class Archiver {
  readonly #parts: ArchiverParts;
  readonly #pages: JournalPages;
  readonly #states: ArchiveStates;
  /** Parts of each account's newest chunk, as far as they were written here. */
  readonly #partsOf = new Map<string, { readonly first: number; count: number }>();
  #archivedTo: number;
  #archivedMs = Number.NEGATIVE_INFINITY;
  #waitingChars = 0;
  #waitingSinceMs: number | undefined;
  #hasFailed = false;

  /**
   * What the journal has lost before its entries were archived is missing for good.
   * @param begins.archived the archive has all entries up to this commit; undefined = there was none
   * @param begins.cutTo the journal has no entry up to this commit
   */
  constructor(parts: ArchiverParts, { archived, cutTo }: { archived: number | undefined; cutTo: number }) {
    const { journal, mongo, formats, shard, nextTurn, mayWrite } = parts;
    const archivedTo = Math.max(archived ?? 0, cutTo, 0);
    this.#parts = parts;
    this.#pages = new JournalPages(journal);
    this.#states = new ArchiveStates(() => ({ mongo, shard, format: formats.current, nextTurn, mayWrite }));
    this.#archivedTo = archivedTo;
  }

  /** MongoDB has all entries up to this commit, if it has not lost what was written since the position was last moved. */
  get archivedTo(): number {
    return this.#archivedTo;
  }

  /** Age of the oldest entry that waits, ms. */
  get lagMs(): number {
    return this.#waitingSinceMs === undefined ? 0 : Math.max(0, this.#parts.realNow() - this.#waitingSinceMs);
  }

  /** Takes note of what history has written. @param page its text, and the time of its first commit */
  note(page: { readonly textLength: number; readonly commits: readonly { readonly timeMs: number }[] }): void {
    this.#waitingChars += page.textLength;
    this.#waitingSinceMs ??= page.commits[0]?.timeMs;
  }

  /**
   * Archives the next stretch of what history has, if it is long or old enough.
   * @param writtenTo history has all entries up to this commit
   * @returns true when something was written
   * @throws {LeaseLost} when the shard has another owner
   */
  async round(writtenTo: number): Promise<boolean> {
    if (writtenTo <= this.#archivedTo) return false;
    const { realNow, lagMs } = this.#parts;
    const isDue = realNow() - this.#archivedMs >= Math.min(EVERY_MS_MAX, lagMs / 2);
    if (!isDue && this.#waitingChars < WAITING_CHARS_MAX) return false;
    return await this.#guarded(() => this.#archive(writtenTo));
  }

  /** Keeps those of the snapshots that the archive needs: MongoDB is about to get them all. @returns true when something was written */
  async keepStates(snapshots: readonly StoredSnapshot[]): Promise<boolean> {
    return await this.#guarded(async () => {
      const ids = await this.#states.keep(snapshots);
      if (ids.length > 0) this.#parts.archive.copy?.note({ states: ids });
      return ids.length > 0;
    });
  }

  async #archive(writtenTo: number): Promise<boolean> {
    const { mongo, formats, shard, nextTurn, mayWrite, archive, realNow } = this.#parts;
    const beganMs = realNow();
    const { batch, chars, to, sinceMs } = await this.#readStretch(writtenTo);
    this.#waitingSinceMs = sinceMs ?? this.#waitingSinceMs;
    const target = { mongo, shard, format: formats.current, nextTurn, mayWrite };
    const { appends } = batch;
    const bytes = await appendChunks(target, appends);
    this.#archivedTo = to;
    archive.metrics.onArchived({ entries: batch.count, bytes });
    archive.copy?.note({ chunks: appends.map(({ id }) => id) });
    this.#waitingChars = Math.max(0, this.#waitingChars - chars);
    if (to >= writtenTo) [this.#archivedMs, this.#waitingChars, this.#waitingSinceMs] = [beganMs, 0, undefined];
    for (const id of this.#filled(appends)) {
      await nextTurn();
      if (await mergeChunk(target, id)) archive.copy?.note({ chunks: [id] });
    }
    return true;
  }

  /** The entries after those that are archived, as many as one stretch may have. */
  async #readStretch(
    writtenTo: number,
  ): Promise<{ batch: ArchiveBatch; chars: number; to: number; sinceMs: number | undefined }> {
    const batch = new ArchiveBatch();
    let [chars, to, sinceMs] = [0, this.#archivedTo, undefined as number | undefined];
    while (to < writtenTo && chars < STRETCH_CHARS) {
      const { commits } = await this.#pages.read(to + 1);
      if (commits.length === 0) return { batch, chars, to: writtenTo, sinceMs };
      await this.#parts.nextTurn();
      for (const { number, text, timeMs } of commits) {
        if (number > writtenTo) return { batch, chars, to: writtenTo, sinceMs };
        batch.add(number, text);
        sinceMs ??= timeMs;
        [chars, to] = [chars + text.length, number];
      }
    }
    return { batch, chars, to, sinceMs };
  }

  /** Chunks that became full with the last of several appends. */
  #filled(appends: readonly ChunkAppend[]): string[] {
    const filled: string[] = [];
    for (const { id, account, entries } of appends) {
      const [first, last] = [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0];
      const found = this.#partsOf.get(account);
      const parts = found?.first === firstOfChunk(first) ? found : { first: firstOfChunk(first), count: 0 };
      parts.count += 1;
      const isFull = firstOfChunk(last + 1) !== parts.first;
      // What an earlier owner has appended is not known: its parts count as many.
      const isWhole = found !== undefined || first === parts.first;
      if (isFull && (parts.count >= MERGED_PARTS_MIN || !isWhole)) filled.push(id);
      this.#partsOf.set(account, parts);
    }
    return filled;
  }

  /** History goes on without the archive; the journal stays as it is meanwhile. */
  async #guarded(work: () => Promise<boolean>): Promise<boolean> {
    const { log, shard, archive } = this.#parts;
    try {
      const hasWritten = await work();
      if (this.#hasFailed) log.info({ shard }, 'the archive is written again');
      this.#hasFailed = false;
      return hasWritten;
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof NewerFormat) throw error;
      archive.metrics.onFailure();
      if (!this.#hasFailed) log.warn({ shard, err: error }, 'the archive cannot be written, trying again');
      this.#hasFailed = true;
      return false;
    }
  }
}
