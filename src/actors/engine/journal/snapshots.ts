// Snapshots of accounts in MongoDB: one document per account, replaced only by a later one. Entries that a snapshot
// covers need no replay, so the journal can be cut.
import { type Format, readableFormat } from '../../../shared/domain/formats.ts';
import { collections, durable, type MongoConnection, refusedUpserts } from '../../../shared/mongo/mongo.ts';
import type { SnapshotBreak, SnapshotDocument } from '../../core/history/historyDocuments.ts';

/** Account ids in one query: some megabytes of snapshots in one answer. */
const IDS_PER_QUERY = 250;

export interface StoredSnapshot {
  readonly accountId: string;
  readonly seq: number;
  /** Commit up to which the account's entries are in. */
  readonly commit: number;
  readonly text: string;
  /** It is what an operator made of the account. */
  readonly break?: SnapshotBreak;
}

/** Snapshots of those of the accounts that have one. @throws {NewerFormat} when a newer build has written one */
export async function readSnapshots(mongo: MongoConnection, accountIds: readonly string[]): Promise<Map<string, StoredSnapshot>> {
  const found = new Map<string, StoredSnapshot>();
  for (const ids of slicesOf(accountIds)) {
    const documents = await snapshotsOf(mongo)
      .find({ _id: { $in: ids } })
      .toArray();
    for (const { _id: accountId, v, seq, commit, text, break: noted } of documents) {
      readableFormat('snapshot document', v);
      // A later snapshot leaves the field of an earlier one where it is.
      const isOfIt = noted?.seq === seq;
      found.set(accountId, { accountId, seq, commit, text, ...(isOfIt && { break: noted }) });
    }
  }
  return found;
}

/** Commit up to which MongoDB has each account's state; accounts without a snapshot are absent. */
export async function readSnapshotCommits(mongo: MongoConnection, accountIds: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const ids of slicesOf(accountIds)) {
    const documents = await snapshotsOf(mongo)
      .find({ _id: { $in: ids } }, { projection: { commit: 1 } })
      .toArray();
    for (const { _id: accountId, commit } of documents) found.set(accountId, commit);
  }
  return found;
}

/**
 * Writes the snapshots; where a later one is stored already, that one stays.
 * @param options.isDurable resolves only when a crash of MongoDB can lose them no more: for a state that no journal gives again
 */
export async function writeSnapshots(
  mongo: MongoConnection,
  { shard, format, isDurable = false }: { readonly shard: number; readonly format: Format; readonly isDurable?: boolean },
  snapshots: readonly StoredSnapshot[],
): Promise<void> {
  if (snapshots.length === 0) return;
  await refusedUpserts(
    isDurable ? mongo.db.collection<SnapshotDocument>(collections.accounts, durable) : snapshotsOf(mongo),
    snapshots.map(({ accountId, seq, commit, text, break: noted }) => ({
      updateOne: {
        filter: { _id: accountId, seq: { $lt: seq } },
        update: { $set: { v: format, shard, seq, commit, text, ...(noted && { break: { ...noted, seq } }) } },
        upsert: true,
      },
    })),
  );
}

const snapshotsOf = (mongo: MongoConnection) => mongo.db.collection<SnapshotDocument>(collections.accounts);

function slicesOf(ids: readonly string[]): string[][] {
  const slices: string[][] = [];
  for (let i = 0; i < ids.length; i += IDS_PER_QUERY) slices.push(ids.slice(i, i + IDS_PER_QUERY));
  return slices;
}

/** Text of snapshots that may wait at once, in UTF-16 units. A shard with more to store stores it in turns. */
const HELD_TEXT_MAX = 8 * 1024 * 1024;

interface Behind {
  /** Commit of the account's first entry that its stored snapshot does not cover. */
  first: number;
  /** Commit of its newest entry seen so far. */
  last: number;
  held?: StoredSnapshot;
  /** Where its entries after the held snapshot begin, or a commit before. */
  firstAfterHeld?: number;
  takenAtMs: number;
}

/**
 * Which accounts' stored snapshots are behind their journal, when to take the next ones, and how far the journal may be cut
 * without losing an entry that no snapshot covers. Snapshots wait here as text until the journal is written up to them.
 */
export class SnapshotSchedule {
  /** By account; the one that has waited longest for its turn comes first. */
  readonly #behind = new Map<string, Behind>();
  readonly #takeEveryMs: number;
  #heldText = 0;

  /** @param takeEveryMs an account's state is taken no more often than this */
  constructor(takeEveryMs: number) {
    this.#takeEveryMs = takeEveryMs;
  }

  /** Takes note of an entry in the journal. Entries come in the order of their commits. */
  onEntry(accountId: string, commit: number): void {
    const behind = this.#behind.get(accountId);
    if (behind === undefined) {
      this.#behind.set(accountId, { first: commit, last: commit, takenAtMs: Number.NEGATIVE_INFINITY });
      return;
    }
    behind.last = commit;
    if (behind.held && commit > behind.held.commit) behind.firstAfterHeld ??= commit;
  }

  /** Accounts whose state should be taken now, at most `count`. */
  due(nowMs: number, count: number): string[] {
    const ids: string[] = [];
    if (this.#heldText >= HELD_TEXT_MAX) return ids;
    for (const [accountId, { held, takenAtMs }] of this.#behind) {
      if (ids.length >= count) break;
      if (!held && takenAtMs + this.#takeEveryMs <= nowMs) ids.push(accountId);
    }
    return ids;
  }

  hold(snapshot: StoredSnapshot, nowMs: number): void {
    const behind = this.#behind.get(snapshot.accountId);
    if (behind === undefined || snapshot.commit < behind.first) return;
    behind.held = snapshot;
    behind.takenAtMs = nowMs;
    if (behind.last > snapshot.commit) behind.firstAfterHeld = snapshot.commit + 1;
    this.#heldText += snapshot.text.length;
  }

  /** Held snapshots that may be stored when the journal is written up to `commit`. */
  ready(commit: number): StoredSnapshot[] {
    const ready: StoredSnapshot[] = [];
    for (const { held } of this.#behind.values()) {
      if (held && held.commit <= commit) ready.push(held);
    }
    return ready;
  }

  /** Of the accounts that are behind and wanted: the commit of the first entry that their stored snapshots do not cover. */
  *firstOf(isWanted: (accountId: string) => boolean): Iterable<[accountId: string, first: number]> {
    for (const [accountId, { first }] of this.#behind) if (isWanted(accountId)) yield [accountId, first];
  }

  /** The account's entries up to this commit have another place than the journal: no snapshot of it is needed for them. */
  onSetAside(accountId: string, commit: number): void {
    const behind = this.#behind.get(accountId);
    if (behind === undefined) return;
    this.#heldText -= behind.held?.text.length ?? 0;
    this.#behind.delete(accountId);
    const { last, takenAtMs } = behind;
    if (last > commit) this.#behind.set(accountId, { first: commit + 1, last, takenAtMs });
  }

  /** The snapshot, or a later one, is in MongoDB. */
  onStored({ accountId, text }: StoredSnapshot): void {
    const behind = this.#behind.get(accountId);
    if (behind === undefined) return;
    this.#heldText -= text.length;
    this.#behind.delete(accountId);
    const { firstAfterHeld, last, takenAtMs } = behind;
    if (firstAfterHeld !== undefined) this.#behind.set(accountId, { first: firstAfterHeld, last, takenAtMs });
  }

  /** The journal's first commit that still is the only place of an entry; undefined when snapshots cover all. */
  get firstNeeded(): number | undefined {
    let first: number | undefined;
    for (const behind of this.#behind.values()) {
      if (first === undefined || behind.first < first) first = behind.first;
    }
    return first;
  }
}
