// Carries a shard's journal into MongoDB: history rows, then snapshots, then the position, and cuts the journal behind it.
// It reads the journal from Redis under the owner's token, never from memory, and everything it writes may be written
// again: whatever fails, it starts anew from the position that MongoDB has.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MongoError } from 'mongodb';
import type { Config } from '../../shared/config.ts';
import { type Format, type FormatSource, NewerFormat } from '../../shared/domain/formats.ts';
import { LeaseLost, RetryableError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { fromSnapshot } from '../domain/account/snapshot.ts';
import { HistoryBatch, type JournalCommit } from '../domain/history/historyBatch.ts';
import { fromStoredHouse, type House, houseAfter, toStoredHouse } from '../domain/history/houseLedger.ts';
import type { AccountEntry } from '../domain/messages/entry.ts';
import { SnapshotSchedule } from '../residents/snapshotSchedule.ts';
import { readSnapshotCommits, readSnapshots, writeSnapshots } from '../residents/snapshots.ts';
import { writeHistory } from './historyStore.ts';
import { Journal, type JournalPage } from './journal.ts';
import { ShardPosition } from './journalPosition.ts';
import { removeForgotten } from './removeDroppedHistory.ts';

/** Journal text wanted in one page: parsing it holds the accounts up for some milliseconds. */
const PAGE_TEXT = 512 * 1024;
const PAGE_COMMITS_MIN = 8;
const PAGE_COMMITS_MAX = 512;
/** How often the journal is looked at: a quarter of the delay, within these. What has gathered goes into a document at once. */
const POLL_MS_MIN = 100;
const POLL_MS_MAX = 2500;
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 2000;
/** An account's state is taken at most this often, and at least four times in the journal's lag. */
const SNAPSHOT_EVERY_MS = 10_000;
const SNAPSHOTS_PER_ROUND = 200;
/** Text of snapshots, and rows, that are made before the accounts get a turn: about a millisecond's work. */
const SNAPSHOT_TEXT_PER_TURN = 64 * 1024;
const ROWS_PER_TURN = 64;
/** Accounts whose history begins later, and whose former rows are removed in one round. */
const REMOVALS_PER_ROUND = 20;
/** Commits cut in one call: Redis serves nobody else meanwhile. */
const TRIM_COMMITS_MAX = 1000;
/** A stop does not wait for MongoDB longer than this: what is not written now is written by the next owner. */
const STOP_WITHIN_MS = 500;

export interface HistoryWriterParts {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  readonly shard: number;
  readonly token: string;
  readonly log: Logger;
  readonly config: Pick<Config, 'SHARDS' | 'REDIS_DURABILITY' | 'HISTORY_DELAY_MS' | 'JOURNAL_LAG_MS'>;
  readonly now: () => number;
  /** State of an account as of its newest entry, in the journal for certain; undefined = not at hand now, ask again. */
  readonly snapshotOf: (accountId: string) => { seq: number; text: string; commit: number } | undefined;
  /** The journal has no entry up to this commit any more. */
  readonly onTrimmed: (commitNumber: number) => void;
  /** The house of the shard as MongoDB has it. */
  readonly onHouse: (house: House) => void;
  /** Something in the journal or in MongoDB was written by a newer build; nothing is written any more. */
  readonly onNewer: (error: NewerFormat) => void;
}

/** What is known between a start from MongoDB's position and the next failure. */
interface Session {
  readonly position: ShardPosition;
  readonly schedule: SnapshotSchedule;
  /** Accounts whose history begins later since this commit, until what lies before is removed. */
  readonly forgotten: Map<string, number>;
  /** Every entry up to this commit is written. */
  writtenTo: number;
  /** The journal has no entry up to this commit. */
  trimmedTo: number;
  /** When MongoDB was seen to have all of the journal up to which commit, rows and snapshots; oldest first. */
  readonly covered: { readonly commit: number; readonly atMs: number }[];
  /** Snapshots were stored, or rows removed, since the position was last moved. */
  hasUnconfirmed: boolean;
}

export class HistoryWriter {
  readonly #parts: HistoryWriterParts;
  readonly #journal: Journal;
  readonly #delayMs: number;
  readonly #pollMs: number;
  #session: Session | undefined;
  #pageCommits = PAGE_COMMITS_MIN;
  #isStopping = false;
  #wake: () => void = () => undefined;
  #loop: Promise<void> = Promise.resolve();
  #written = 0;
  #mongoDown = false;
  #oldestUnwrittenMs: number | undefined;

  constructor(parts: HistoryWriterParts) {
    const { config } = parts;
    this.#parts = parts;
    this.#journal = new Journal(parts);
    this.#delayMs = config.REDIS_DURABILITY === 'always' ? 0 : config.HISTORY_DELAY_MS;
    this.#pollMs = Math.min(Math.max(this.#delayMs / 4, POLL_MS_MIN), POLL_MS_MAX);
  }

  /** Age of the oldest entry that MongoDB lacks, whether MongoDB fails to answer, and entries written since the start. */
  get status(): { readonly lagMs: number; readonly mongoDown: boolean; readonly written: number } {
    const oldestMs = this.#oldestUnwrittenMs;
    const lagMs = oldestMs === undefined ? 0 : Math.max(0, this.#parts.now() - oldestMs);
    return { lagMs, mongoDown: this.#mongoDown, written: this.#written };
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Ends after the write in flight, or without it when that takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await Promise.race([this.#loop, waitMs(STOP_WITHIN_MS)]);
  }

  async #run(): Promise<void> {
    const { log, shard, config } = this.#parts;
    let failures = 0;
    // Spread over the interval: the shards of a pod that all wrote in one moment would keep its accounts waiting.
    await this.#pause((this.#pollMs * shard) / config.SHARDS);
    while (!this.#isStopping) {
      try {
        const isBehind = await this.#round();
        if (failures > 0) log.info({ shard }, 'history is written again');
        failures = 0;
        this.#mongoDown = false;
        if (!isBehind) await this.#pause(this.#pollMs);
      } catch (error) {
        this.#session = undefined;
        if (this.#isStopping) return;
        if (error instanceof LeaseLost) {
          log.warn({ shard, reason: error.message }, 'history is left to the shard’s new owner');
          return;
        }
        if (error instanceof NewerFormat) return this.#parts.onNewer(error);
        this.#onFailure(error, failures);
        failures += 1;
        await this.#pause(Math.min(BACKOFF_MS_MIN * 2 ** (failures - 1), BACKOFF_MS_MAX));
      }
    }
  }

  #onFailure(error: unknown, earlier: number): void {
    const { log, shard } = this.#parts;
    const isMongo = error instanceof MongoError;
    this.#mongoDown ||= isMongo;
    const fields = { shard, failures: earlier + 1, err: error };
    if (!isMongo && !(error instanceof RetryableError)) log.error(fields, 'history cannot be written');
    else if (earlier === 0) log.warn(fields, 'history waits');
    else log.debug(fields, 'history waits');
  }

  /** @returns true when there is more to write at once */
  async #round(): Promise<boolean> {
    this.#session ??= await this.#begin();
    const session = this.#session;
    const page = await this.#readPage(session.writtenTo + 1);
    const notAfterMs = this.#parts.now() - this.#delayMs;
    const firstWaiting = page.commits.findIndex(({ timeMs }) => timeMs > notAfterMs);
    const due = firstWaiting === -1 ? page.commits : page.commits.slice(0, firstWaiting);
    const writtenTo = Math.max(session.writtenTo, writtenUpTo(page, due));
    this.#oldestUnwrittenMs = page.commits[0]?.timeMs;
    if (due.length > 0) await this.#writeRows(session, due, page);
    await this.#storeSnapshots(session, writtenTo);
    if (due.length > 0) await this.#advance(session, due, page);
    session.writtenTo = writtenTo;
    this.#oldestUnwrittenMs = page.commits[due.length]?.timeMs;
    await this.#takeSnapshots(session);
    await this.#removeForgotten(session);
    if (session.hasUnconfirmed) await session.position.confirm();
    session.hasUnconfirmed = false;
    await this.#trim(session);
    return firstWaiting === -1 && !page.reachesEnd;
  }

  /** Starts from MongoDB's position. What lies before it in the journal is written; its snapshots may not be. */
  async #begin(): Promise<Session> {
    const { mongo, formats, shard, token, config } = this.#parts;
    const position = await ShardPosition.claim({ mongo, formats, shard, token });
    this.#parts.onHouse(fromStoredHouse(position.house));
    const schedule = new SnapshotSchedule(Math.min(SNAPSHOT_EVERY_MS, config.JOURNAL_LAG_MS / 4));
    const forgotten = new Map<string, number>();
    const session: Session = {
      ...{ position, schedule, forgotten, writtenTo: position.commit, trimmedTo: 0 },
      ...{ covered: [], hasUnconfirmed: false },
    };
    const commitsOf = new Map<string, number[]>();
    for (let from = 0; from <= position.commit; ) {
      const { commits } = await this.#readPage(from);
      const written = commits.filter(({ number }) => number <= position.commit);
      for (const { number, entries } of written) {
        for (const entry of entries) {
          listOf(commitsOf, entry.accountId).push(number);
          if (forgetsHistory(entry)) forgotten.set(entry.accountId, number);
        }
      }
      if (from === 0) session.trimmedTo = (commits[0]?.number ?? position.commit) - 1;
      from = (commits.at(-1)?.number ?? position.commit) + 1;
    }
    const stored = await readSnapshotCommits(mongo, [...commitsOf.keys()]);
    for (const [accountId, commits] of commitsOf) {
      for (const commit of commits) {
        if (commit > (stored.get(accountId) ?? 0)) schedule.onEntry(accountId, commit);
      }
    }
    return session;
  }

  /** Commits differ in size by a thousand times, so each page's count follows the size of the one before. */
  async #readPage(from: number): Promise<JournalPage> {
    const page = await this.#journal.read(from, this.#pageCommits);
    const { commits, textLength } = page;
    if (commits.length > 0) {
      const fitting = Math.floor((PAGE_TEXT * commits.length) / Math.max(textLength, 1));
      this.#pageCommits = Math.min(Math.max(fitting, PAGE_COMMITS_MIN), PAGE_COMMITS_MAX);
    }
    return page;
  }

  async #writeRows({ position, schedule, forgotten }: Session, due: readonly JournalCommit[], page: JournalPage): Promise<void> {
    const { mongo, formats, shard } = this.#parts;
    await position.announce(reachedBy(due, page));
    await writeHistory(mongo, shard, await gather(due, formats.current));
    for (const { number, entries } of due) {
      for (const entry of entries) {
        schedule.onEntry(entry.accountId, number);
        if (forgetsHistory(entry)) forgotten.set(entry.accountId, number);
      }
    }
  }

  async #advance({ position }: Session, due: readonly JournalCommit[], page: JournalPage): Promise<void> {
    const { onHouse } = this.#parts;
    const house = houseAfterCommits(fromStoredHouse(position.house), due);
    await position.advance(reachedBy(due, page), toStoredHouse(house));
    onHouse(house);
    this.#written += due.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  async #storeSnapshots(session: Session, writtenTo: number): Promise<void> {
    const { mongo, formats, shard } = this.#parts;
    const { schedule } = session;
    const ready = schedule.ready(writtenTo);
    if (ready.length === 0) return;
    session.hasUnconfirmed = true;
    await writeSnapshots(mongo, { shard, format: formats.current }, ready);
    for (const snapshot of ready) schedule.onStored(snapshot);
  }

  async #takeSnapshots({ schedule }: Session): Promise<void> {
    const { now, snapshotOf } = this.#parts;
    let text = 0;
    for (const accountId of schedule.due(now(), SNAPSHOTS_PER_ROUND)) {
      const snapshot = snapshotOf(accountId);
      if (snapshot === undefined) continue;
      schedule.hold({ accountId, ...snapshot }, now());
      text += snapshot.text.length;
      if (text < SNAPSHOT_TEXT_PER_TURN) continue;
      text = 0;
      await nextTurn();
    }
  }

  /**
   * Removes former rows of accounts whose later beginning is in MongoDB too: should Redis lose it now, the account goes on
   * from there, and never from a state that misses its rows.
   */
  async #removeForgotten(session: Session): Promise<void> {
    const { forgotten } = session;
    if (forgotten.size === 0) return;
    const { mongo } = this.#parts;
    const snapshots = await readSnapshots(mongo, [...forgotten.keys()].slice(0, REMOVALS_PER_ROUND));
    for (const [accountId, { commit, text }] of snapshots) {
      if (commit < (forgotten.get(accountId) as number)) continue;
      session.hasUnconfirmed = true;
      await removeForgotten(mongo, accountId, fromSnapshot(text).historyStart);
      forgotten.delete(accountId);
    }
  }

  /** Cuts what MongoDB has had, rows and snapshots, for longer than it could forget by crashing. */
  async #trim(session: Session): Promise<void> {
    const { now, config, onTrimmed } = this.#parts;
    const { schedule, position, covered, forgotten } = session;
    const needed = Math.min(schedule.firstNeeded ?? Number.POSITIVE_INFINITY, ...forgotten.values());
    const commit = Math.min(position.commit, needed - 1);
    if (commit > (covered.at(-1)?.commit ?? session.trimmedTo)) covered.push({ commit, atMs: now() });
    const notAfterMs = now() - config.JOURNAL_LAG_MS;
    // A writer with nothing to write would not notice that MongoDB has crashed meanwhile and forgotten its end.
    if (covered[0] && covered[0].atMs <= notAfterMs) await position.confirm();
    for (let oldest = covered[0]; oldest !== undefined && oldest.atMs <= notAfterMs; oldest = covered[0]) {
      while (session.trimmedTo < oldest.commit) {
        const to = Math.min(session.trimmedTo + TRIM_COMMITS_MAX, oldest.commit);
        await this.#journal.trim(to);
        session.trimmedTo = to;
        onTrimmed(to);
      }
      covered.shift();
    }
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

const forgetsHistory = ({ events }: AccountEntry): boolean =>
  events.some(({ type }) => type === 'accountReset' || type === 'historyForgotten');

async function gather(due: readonly JournalCommit[], format: Format): Promise<HistoryBatch> {
  const batch = new HistoryBatch(format);
  let rows = 0;
  for (const commit of due) {
    rows += batch.add(commit);
    if (rows < ROWS_PER_TURN) continue;
    rows = 0;
    await nextTurn();
  }
  return batch;
}

/** The commit up to which nothing is missing once `due` is written: the head's when the page reaches the journal's end. */
function writtenUpTo({ commits, head, reachesEnd }: JournalPage, due: readonly JournalCommit[]): number {
  const waiting = commits[due.length];
  if (waiting) return waiting.number - 1;
  return Math.max(due.at(-1)?.number ?? 0, reachesEnd ? head.commit : 0);
}

/** Each commit is counted once: the position that says how far it is moves in the same write. */
function houseAfterCommits(before: House, due: readonly JournalCommit[]): House {
  let house = before;
  for (const { entries } of due) for (const { events } of entries) house = events.reduce(houseAfter, house);
  return house;
}

/** Ids, epoch and tick come from the head, which is at least as far as the commits. */
function reachedBy(due: readonly JournalCommit[], { head }: JournalPage) {
  const { number, epoch, idCounter, timeMs } = due.at(-1) as JournalCommit;
  return {
    commit: number,
    epoch: Math.max(epoch, head.epoch),
    idCounter: Math.max(idCounter, head.idCounter),
    tick: head.tick,
    atMs: timeMs,
  };
}

function listOf(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
