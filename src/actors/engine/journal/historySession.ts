// One run of a shard's history writer, from the position in MongoDB to the next failure. Each round reads the new
// part of the journal and writes in this order: rows, snapshots, archive, position. Then it removes dropped history and
// cuts the journal. Everything that it writes may be written again.
import type { Config } from '../../../shared/config/config.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import { RedisLost } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { HistoryBatch, type JournalCommit } from '../../core/history/historyDocuments.ts';
import { fromStoredHouse, type House, houseAfter, toStoredHouse } from '../../core/history/houseLedger.ts';
import type { SetAside } from '../../core/messages/quarantineRecord.ts';
import { type ArchiveParts, Archiver } from './archiver.ts';
import { DroppedHistory, dropsHistory, readCoveredJournal, writeHistory } from './historyStore.ts';
import { Journal, type JournalPage, JournalPages, reachedBy, writtenUpTo } from './journal.ts';
import { JournalPosition } from './journalPosition.ts';
import { JournalTrimmer } from './journalTrimmer.ts';
import { readSetAsideIndex, SetAsideWriter } from './setAside.ts';
import { readSnapshotCommits, SnapshotSchedule, type StoredSnapshot, writeSnapshots } from './snapshots.ts';

/** An account's state is taken at most this often, and at least four times in the journal's lag. */
const SNAPSHOT_EVERY_MS = 10_000;
const SNAPSHOTS_PER_ROUND = 200;
/** Text of snapshots, and rows, that are made before others get a turn: about half a millisecond's work. */
const SNAPSHOT_TEXT_PER_TURN = 32 * 1024;
const ROWS_PER_TURN = 32;

export interface HistorySessionParts {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  readonly log: Logger;
  readonly archive: ArchiveParts;
  readonly shard: number;
  readonly token: string;
  readonly config: Pick<Config, 'JOURNAL_LAG_MS'>;
  /** Entries younger than this wait: by then Redis has them on disk. */
  readonly delayMs: number;
  readonly realNow: () => number;
  /** Resolves when the next piece of work may be done: the accounts, and the writers of other shards, go first. */
  readonly nextTurn: () => Promise<void>;
  /** Called before each write. @throws {RetryableError} when none may begin any more (lease.ts) */
  readonly mayWrite: () => void;
  /** State of an account as of its newest entry, in the journal for certain; undefined = not at hand now, ask again. */
  readonly snapshotOf: (accountId: string) => Omit<StoredSnapshot, 'accountId'> | undefined;
  /** Has Redis keep the snapshots that MongoDB is about to get: the journal may be cut behind them then. */
  readonly keep: (snapshots: readonly StoredSnapshot[]) => Promise<void>;
  /** True for an account that gives no snapshot: it is in quarantine, or could not be loaded. */
  readonly isHalted: (accountId: string) => boolean;
  /** The journal has no entry up to this commit any more. */
  readonly onTrimmed: (commitNumber: number) => void;
  /** The house of the shard as MongoDB has it. */
  readonly onHouse: (house: House) => void;
  /** @param oldestMs time of the oldest entry seen that MongoDB lacks; undefined = none */
  readonly onWaiting: (oldestMs: number | undefined) => void;
  /** @param lagMs age of the oldest entry that history has and the archive lacks */
  readonly onArchive: (lagMs: number) => void;
  /** @param entries so many more are written, all up to this commit */
  readonly onWritten: (entries: number, upTo: number) => void;
}

/** What the commits of a page have come to: the house after them, counted once as the position moves with it, and entries. */
interface Written {
  readonly house: House;
  readonly count: number;
}

/** What a session goes on from. */
interface Beginning {
  readonly journal: Journal;
  readonly pages: JournalPages;
  readonly position: JournalPosition;
  readonly schedule: SnapshotSchedule;
  readonly setAside: ReadonlyMap<string, SetAside>;
  /** Accounts whose history begins later since this commit, until what lies before is removed. */
  readonly forgotten: ReadonlyMap<string, number>;
  /** The journal has no entry up to this commit. */
  readonly trimmedTo: number;
}

export class HistorySession {
  readonly #parts: HistorySessionParts;
  readonly #pages: JournalPages;
  readonly #position: JournalPosition;
  readonly #schedule: SnapshotSchedule;
  readonly #forgotten: DroppedHistory;
  readonly #trimmer: JournalTrimmer;
  readonly #aside: SetAsideWriter;
  readonly #archiver: Archiver;
  /** Every entry up to this commit is written. */
  #writtenTo: number;
  /** Snapshots were stored, or rows removed, since the position was last moved. */
  #hasUnconfirmed = false;
  /** When the position's newest move in this round was begun; undefined = none yet. */
  #movedMs: number | undefined;

  private constructor(parts: HistorySessionParts, beginning: Beginning) {
    const { journal, pages, position, schedule, setAside, forgotten, trimmedTo } = beginning;
    const { realNow, onTrimmed } = parts;
    const [lagMs, confirm] = [parts.config.JOURNAL_LAG_MS, () => position.confirm()];
    this.#parts = parts;
    this.#pages = pages;
    this.#position = position;
    this.#schedule = schedule;
    this.#forgotten = new DroppedHistory(parts, forgotten);
    this.#trimmer = new JournalTrimmer({ journal, realNow, lagMs, confirm, onTrimmed }, trimmedTo);
    this.#aside = new SetAsideWriter({ ...parts, journal, lagMs, confirm }, setAside);
    this.#archiver = new Archiver({ ...parts, journal, lagMs }, { archived: position.archived, cutTo: trimmedTo });
    this.#writtenTo = position.commit;
  }

  /** Starts from MongoDB's position. What lies before it in the journal is written; its snapshots may not be. */
  static async begin(parts: HistorySessionParts): Promise<HistorySession> {
    const { redis, mongo, formats, shard, token, config, onHouse } = parts;
    const position = await JournalPosition.claim({ mongo, formats, shard, token });
    onHouse(fromStoredHouse(position.house));
    const schedule = new SnapshotSchedule(Math.min(SNAPSHOT_EVERY_MS, config.JOURNAL_LAG_MS / 4));
    const journal = new Journal(parts);
    const pages = new JournalPages(journal);
    const { commitsOf, forgotten, trimmedTo, head } = await readCoveredJournal(pages, position.commit);
    if (position.highestNamed > head.commit) throw lossOf(shard, position.highestNamed, head.commit);
    const stored = await readSnapshotCommits(mongo, [...commitsOf.keys()]);
    for (const [accountId, commits] of commitsOf) {
      for (const commit of commits) {
        if (commit > (stored.get(accountId) ?? 0)) schedule.onEntry(accountId, commit);
      }
    }
    const setAside = await readSetAsideIndex(redis, shard);
    return new HistorySession(parts, { journal, pages, position, schedule, setAside, forgotten, trimmedTo });
  }

  /** @returns true when there is more to write at once */
  async round(): Promise<boolean> {
    const { realNow, delayMs, onWaiting } = this.#parts;
    this.#movedMs = undefined;
    const page = await this.#pages.gather(this.#writtenTo + 1, realNow() - delayMs);
    const { commits, young, reachesEnd } = page;
    if (page.head.commit < this.#writtenTo) throw lossOf(this.#parts.shard, this.#writtenTo, page.head.commit);
    const writtenTo = Math.max(this.#writtenTo, writtenUpTo(page));
    onWaiting(commits[0]?.timeMs ?? young?.timeMs);
    const written = commits.length > 0 ? await this.#writeRows(page) : undefined;
    await this.#storeSnapshots(writtenTo);
    this.#archiver.note(page);
    await this.#archive(writtenTo);
    if (written !== undefined) await this.#advance(page, written);
    this.#writtenTo = writtenTo;
    onWaiting(young?.timeMs);
    await this.#takeSnapshots();
    await this.#aside.setAside(this.#schedule, this.#writtenTo);
    if (await this.#aside.clear(this.#writtenTo)) this.#hasUnconfirmed = true;
    if (await this.#forgotten.remove()) this.#hasUnconfirmed = true;
    if (this.#hasUnconfirmed) await this.#move(() => this.#position.confirm());
    await this.#trimmer.trim(this.#coveredTo, this.#movedMs);
    return young === undefined && !reachesEnd;
  }

  /**
   * MongoDB has rows and snapshots of all commits up to this one, and no history dropped before it. What a halted account has
   * dropped is not waited for: it is removed once the account is lifted.
   */
  get #coveredTo(): number {
    const needed = [this.#schedule.firstNeeded, this.#forgotten.firstNeeded].map((first) => first ?? Number.POSITIVE_INFINITY);
    return Math.min(this.#position.commit, this.#position.archived ?? 0, ...needed.map((first) => first - 1));
  }

  async #archive(writtenTo: number): Promise<void> {
    if (await this.#archiver.round(writtenTo)) this.#hasUnconfirmed = true;
    this.#position.noteArchived(this.#archiver.archivedTo);
    this.#parts.onArchive(this.#archiver.lagMs);
  }

  async #writeRows(page: JournalPage): Promise<Written> {
    const { mongo, shard, nextTurn, mayWrite } = this.#parts;
    await this.#position.announce(reachedBy(page));
    const { batch, ...written } = await this.#gather(page.commits);
    await writeHistory(mongo, { shard, nextTurn, mayWrite }, batch);
    return written;
  }

  /** One entry after the other: none is kept longer than its rows take. */
  async #gather(commits: readonly JournalCommit[]): Promise<Written & { readonly batch: HistoryBatch }> {
    const { formats, nextTurn } = this.#parts;
    const batch = new HistoryBatch(formats.current);
    let house = fromStoredHouse(this.#position.house);
    let count = 0;
    let rows = 0;
    for (const { number, entries } of commits) {
      for (const entry of entries) {
        if (rows >= ROWS_PER_TURN) {
          rows = 0;
          await nextTurn();
        }
        rows += batch.addEntry(entry, number);
        house = entry.events.reduce(houseAfter, house);
        this.#schedule.onEntry(entry.accountId, number);
        if (dropsHistory(entry)) this.#forgotten.note(entry.accountId, number);
        count += 1;
      }
    }
    return { batch, house, count };
  }

  async #advance(page: JournalPage, { house, count }: Written): Promise<void> {
    const { onHouse, onWritten } = this.#parts;
    await this.#move(() => this.#position.advance(reachedBy(page), toStoredHouse(house)));
    onHouse(house);
    onWritten(count, this.#position.commit);
  }

  /** Every move proves what was written before the one that it finds, and the next one will prove what was written before it. */
  async #move(move: () => Promise<void>): Promise<void> {
    const begunMs = this.#parts.realNow();
    await move();
    this.#movedMs = begunMs;
    this.#hasUnconfirmed = false;
  }

  async #storeSnapshots(writtenTo: number): Promise<void> {
    const { mongo, formats, shard, keep, mayWrite } = this.#parts;
    const ready = this.#schedule.ready(writtenTo);
    if (ready.length === 0) return;
    await keep(ready);
    this.#hasUnconfirmed = true;
    await this.#archiver.keepStates(ready);
    mayWrite();
    await writeSnapshots(mongo, { shard, format: formats.current }, ready);
    for (const snapshot of ready) this.#schedule.onStored(snapshot);
  }

  async #takeSnapshots(): Promise<void> {
    const { realNow, snapshotOf, nextTurn } = this.#parts;
    let text = 0;
    for (const accountId of this.#schedule.due(realNow(), SNAPSHOTS_PER_ROUND)) {
      const snapshot = snapshotOf(accountId);
      if (snapshot === undefined) continue;
      this.#schedule.hold({ accountId, ...snapshot }, realNow());
      text += snapshot.text.length;
      if (text < SNAPSHOT_TEXT_PER_TURN) continue;
      text = 0;
      await nextTurn();
    }
  }
}

const lossOf = (shard: number, seen: number, has: number): RedisLost =>
  new RedisLost(`MongoDB has seen commit ${seen} of shard ${shard}, Redis has ${has}.`);
