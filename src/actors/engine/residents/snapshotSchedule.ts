// Which accounts' stored snapshots are behind their journal, when to take the next ones, and how far the journal may
// be cut without losing an entry that no snapshot covers. Snapshots wait here as text until the journal is written up
// to them.
import type { StoredSnapshot } from './snapshots.ts';

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
