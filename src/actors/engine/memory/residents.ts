// The accounts of a shard that are in memory, each with its journal entries that are not trimmed yet; they give the
// history rows that MongoDB may lack. It decides which accounts must stay (the live set) and gives out snapshots at
// commit boundaries.

import { type FormatSource, NEWEST_FORMAT } from '../../../shared/domain/formats.ts';
import type { Account } from '../../core/account/account.ts';
import { toSnapshot } from '../../core/account/accountCodec.ts';
import { factsOf } from '../../core/history/eventFacts.ts';
import { countRows } from '../../core/history/rowsOfEvents.ts';
import { type AccountEntry, type JournaledEntry, writeEntry } from '../../core/messages/entry.ts';
import type { HistoryKind } from '../../core/messages/historyRows.ts';
import { mustStayInMemory } from '../../core/mustStayInMemory.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { StoredSnapshot } from '../journal/snapshots.ts';
import { AccountTail } from './accountTail.ts';

export interface Resident {
  account: Account;
  readonly tail: AccountTail;
  /** Its newest entry when it came into memory. */
  readonly admittedSeq: number;
  /** Commit of the account's newest entry; 0 = older than the tail. */
  lastCommit: number;
  /** By `performance.now()`. */
  lastUsedAt: number;
}

/** `commit`: of the newest entry in it. */
type Snapshot = Omit<StoredSnapshot, 'accountId' | 'break'>;

export class Residents {
  readonly #residents = new Map<string, Resident>();
  /** Mirror of the live set after the open draft. */
  readonly #live: Set<string>;
  /** Accounts with tail entries by commit. */
  readonly #tailAccounts = new Map<number, string[]>();
  readonly #snapshotsWanted = new Set<string>();
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #formats: FormatSource;
  #committed: number;
  #trimmed = 0;

  /** @param options.committed number of the newest commit: all that is found with the shard is true */
  constructor({ live, committed, formats }: { live: ReadonlySet<string>; committed: number; formats: FormatSource }) {
    this.#formats = formats;
    this.#live = new Set(live);
    this.#committed = committed;
  }

  /** Number of the newest commit that Redis has answered. */
  get committed(): number {
    return this.#committed;
  }

  get size(): number {
    return this.#residents.size;
  }

  /** What the tails of all accounts tie up in memory, about. */
  get tailBytes(): number {
    let bytes = 0;
    for (const { tail } of this.#residents.values()) bytes += tail.bytes;
    return bytes;
  }

  get(accountId: string): Resident | undefined {
    return this.#residents.get(accountId);
  }

  has(accountId: string): boolean {
    return this.#residents.has(accountId);
  }

  /** Every account in memory. */
  get ids(): string[] {
    return [...this.#residents.keys()];
  }

  /** The states of all of them. */
  get accounts(): Account[] {
    return [...this.#residents.values()].map(({ account }) => account);
  }

  /** @param journaled entries of the account in the journal, already folded into it */
  admit(account: Account, journaled: readonly JournaledEntry[], nowAt: number): Resident {
    const untrimmed = journaled.filter(({ commit }) => commit > this.#trimmed);
    const tail = untrimmed.slice(firstAfterGap(untrimmed, account));
    const resident: Resident = {
      account,
      tail: new AccountTail(),
      admittedSeq: account.seq,
      lastCommit: untrimmed.at(-1)?.commit ?? 0,
      lastUsedAt: nowAt,
    };
    const format = this.#formats.current;
    for (const { commit, entry, text } of tail) {
      this.#addToTail(resident, commit, entry, text !== undefined && format === NEWEST_FORMAT ? text : writeEntry(entry, format));
    }
    this.#residents.set(account.id, resident);
    return resident;
  }

  drop(accountId: string): void {
    this.#residents.delete(accountId);
    this.#snapshotsWanted.delete(accountId);
    this.#snapshots.delete(accountId);
  }

  /** Has the draft journal an entry and keeps its rows: the account is live until MongoDB has them. @returns the entry as it is journaled */
  onEntry(resident: Resident, entry: AccountEntry, draft: CommitDraft): string {
    const accountId = resident.account.id;
    const text = draft.journal(entry);
    this.#addToTail(resident, draft.number, entry, text);
    resident.lastCommit = draft.number;
    if (!this.#live.has(accountId)) {
      this.#live.add(accountId);
      draft.seldom.addLive(accountId);
    }
    return text;
  }

  /** A commit is true: snapshots that were waiting for a moment without open decisions are taken. */
  onCommitted(number: number): void {
    this.#committed = number;
    for (const accountId of this.#snapshotsWanted) {
      const snapshot = this.#takeSnapshot(accountId);
      if (snapshot === undefined) continue;
      this.#snapshotsWanted.delete(accountId);
      this.#snapshots.set(accountId, snapshot);
    }
  }

  /** The account as of its newest entry, if that is committed; else one is kept from the next commit on and given then. */
  snapshotOf(accountId: string): Snapshot | undefined {
    const snapshot = this.#takeSnapshot(accountId) ?? this.#snapshots.get(accountId);
    this.#snapshots.delete(accountId);
    if (snapshot === undefined && this.#residents.has(accountId)) this.#snapshotsWanted.add(accountId);
    return snapshot;
  }

  /** Entries up to this commit have left the journal: MongoDB has all that came of them. */
  onTrimmed(commit: number, draft: CommitDraft): void {
    this.#trimmed = commit;
    const trimmed = new Set<string>();
    for (const [number, accountIds] of this.#tailAccounts) {
      if (number > commit) continue;
      this.#tailAccounts.delete(number);
      for (const accountId of accountIds) trimmed.add(accountId);
    }
    for (const accountId of trimmed) this.#trim(accountId, commit, draft);
  }

  /** Accounts not used since, that hold nothing and whose history MongoDB has. */
  *idleSince(at: number): Iterable<Resident> {
    for (const resident of this.#residents.values()) {
      if (resident.lastUsedAt < at && !this.#live.has(resident.account.id)) yield resident;
    }
  }

  #trim(accountId: string, commit: number, draft: CommitDraft): void {
    const resident = this.#residents.get(accountId);
    if (resident === undefined) return;
    resident.tail.trim(commit);
    this.releaseIfAtRest(resident, draft);
  }

  /** Takes an account off the live set that needs to be there no longer. */
  releaseIfAtRest(resident: Resident, draft: CommitDraft): void {
    const accountId = resident.account.id;
    if (resident.tail.length > 0 || mustStayInMemory(resident.account) || !this.#live.delete(accountId)) return;
    draft.seldom.removeLive(accountId);
  }

  #takeSnapshot(accountId: string): Snapshot | undefined {
    const resident = this.#residents.get(accountId);
    if (resident === undefined || resident.lastCommit > this.#committed) return undefined;
    return { seq: resident.account.seq, text: toSnapshot(resident.account, this.#formats.current), commit: resident.lastCommit };
  }

  #addToTail({ account, tail }: Resident, commit: number, entry: AccountEntry, text: string): void {
    tail.add(commit, entry, text);
    const accountId = account.id;
    const accountIds = this.#tailAccounts.get(commit);
    if (accountIds === undefined) this.#tailAccounts.set(commit, [accountId]);
    else if (accountIds.at(-1) !== accountId) accountIds.push(accountId);
  }
}

/**
 * Where the journaled entries begin whose rows run up to the account's newest row without a hole: those before a reset have
 * none. One before that is left out: its account goes on from a snapshot that is longer than the journal was, so MongoDB alone has the rows in between,
 * and has those before them.
 */
function firstAfterGap(journaled: readonly { readonly entry: AccountEntry }[], { rowCounts }: Account): number {
  const known = { ...rowCounts };
  for (let i = journaled.length - 1; i >= 0; i--) {
    const { entry } = journaled[i] as { entry: AccountEntry };
    const rows = countRows(entry);
    for (const [kind, first] of Object.entries(entry.firstRows) as [HistoryKind, number][]) {
      if (first + rows[kind] !== known[kind]) return i + 1;
      known[kind] = first;
    }
    if (entry.events.some((event) => factsOf(event).past === 'begunAnew')) return i;
  }
  return 0;
}
