// The states of all accounts as of the cut, made as an owner that recovers would make them: snapshot, entries set aside, the
// journal's entries after them. Journals are held as text, and in parts where they are large: a part has some of the accounts.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BSON } from 'mongodb';
import type { Account } from '../../actors/core/account/account.ts';
import { toSnapshot } from '../../actors/core/account/accountCodec.ts';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { type AccountEntry, readEntry } from '../../actors/core/messages/entry.ts';
import { readSetAsideEntry } from '../../actors/core/messages/quarantineRecord.ts';
import { foldAccount } from '../../features/rules.ts';
import { type Format, NEWEST_FORMAT, NewerFormat, readableFormat } from '../../shared/domain/formats.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { Refused } from '../acts/operatorParts.ts';
import { readRows } from './backupFiles.ts';
import type { BesideRow } from './besideJournals.ts';
import type { JournalRow } from './journalCopy.ts';
import { BESIDE_FILE, collectionFile, JOURNAL_FILE, type Manifest } from './manifest.ts';

/** Characters of journals, and accounts, in a part. */
const JOURNAL_CHARS_PER_PART = 64 * 1024 * 1024;
const ACCOUNTS_PER_PART = 100_000;
/** Parts go by a hash that does not go with the shards. */
const PARTS_SEED = 65_521;

/**
 * A row of the file of states. `hash` is the state hash that answers show; builds that know other fields of a state compute others.
 * `text` is the SHA-256 of the account's snapshot in the deployment's generation: any build that reads it makes the same.
 * `broken`: it cannot be folded, and why; its owner halts it.
 */
export type StateRow =
  | { readonly account: string; readonly seq: number; readonly hash: string; readonly text: string }
  | { readonly account: string; readonly broken: string };

interface AccountState {
  readonly row: StateRow;
  /** Undefined for a broken one. */
  readonly state: Account | undefined;
}

export type SnapshotText = Pick<SnapshotDocument, '_id' | 'text'>;

/** One of several parts of all accounts. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

export function partsOf({ journalChars, accounts }: Pick<Manifest, 'journalChars' | 'accounts'>): Part[] {
  const of = Math.max(1, Math.ceil(journalChars / JOURNAL_CHARS_PER_PART), Math.ceil(accounts / ACCOUNTS_PER_PART));
  return Array.from({ length: of }, (_, number) => ({ number, of }));
}

export const isIn = ({ number, of }: Part, accountId: string): boolean =>
  of === 1 || shardOf(accountId, PARTS_SEED) % of === number;

/** Entries of the accounts of a part, as texts, oldest first. */
export class Entries {
  readonly #part: Part;
  readonly #format: Format;
  readonly #setAside = new Map<string, string[]>();
  readonly #journaled = new Map<string, string[]>();

  /** @param formats generation that the deployment may write: of the texts */
  constructor(part: Part, formats: number) {
    this.#part = part;
    this.#format = readableFormat('backup', formats);
  }

  addSetAside(accountId: string, entry: string): void {
    if (isIn(this.#part, accountId)) add(this.#setAside, accountId, entry);
  }

  addCommit({ fields }: JournalRow): void {
    const entries = fields[fields.indexOf('e') + 1];
    if (fields.indexOf('e') % 2 !== 0 || entries === undefined) return;
    for (const entry of JSON.parse(entries) as { readonly accountId: string }[]) {
      if (isIn(this.#part, entry.accountId)) add(this.#journaled, entry.accountId, JSON.stringify(entry));
    }
  }

  /** Accounts that have some. */
  get accounts(): ReadonlySet<string> {
    return new Set([...this.#setAside.keys(), ...this.#journaled.keys()]);
  }

  /** @param snapshot undefined = there is none @throws {NewerFormat} when a newer build has to read it */
  stateOf(account: string, snapshot: SnapshotText | undefined): AccountState {
    try {
      const state = foldAccount(account, snapshot?.text, this.#of(account));
      const text = createHash('sha256').update(toSnapshot(state, this.#format)).digest('hex');
      return { row: { account, seq: state.seq, hash: stateHashOf(state), text }, state };
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      return { row: { account, broken: error instanceof Error ? error.message : String(error) }, state: undefined };
    }
  }

  *#of(accountId: string): Generator<AccountEntry> {
    for (const text of this.#setAside.get(accountId) ?? []) yield readSetAsideEntry(text).entry;
    for (const text of this.#journaled.get(accountId) ?? []) yield readEntry(text);
  }
}

/** The states of a part, of accounts with a snapshot first. */
async function* statesOf(entries: Entries, snapshots: AsyncIterable<SnapshotText>): AsyncGenerator<AccountState> {
  const left = new Set(entries.accounts);
  for await (const snapshot of snapshots) {
    left.delete(snapshot._id);
    yield entries.stateOf(snapshot._id, snapshot);
  }
  for (const accountId of left) yield entries.stateOf(accountId, undefined);
}

function add(lists: Map<string, string[]>, key: string, text: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [text]);
  else list.push(text);
}

/**
 * @param backup what the expected state is of
 * @throws {Refused} when the two are not the same state
 */
export function requireSame(
  expected: StateRow,
  found: StateRow,
  { backup, where }: { readonly backup: Pick<Manifest, 'newest'>; readonly where: string },
): void {
  if (isSame(expected, found, { comparesHash: backup.newest === NEWEST_FORMAT })) return;
  const told = 'broken' in found ? `cannot be folded (${found.broken})` : `is ${found.hash} at entry ${found.seq}`;
  const wanted = 'broken' in expected ? 'one that cannot be folded' : `${expected.hash} at entry ${expected.seq}`;
  throw new Refused(`The state of account ${expected.account} ${told} ${where}; the backup says ${wanted}.`);
}

function isSame(a: StateRow, b: StateRow, { comparesHash }: { comparesHash: boolean }): boolean {
  if ('broken' in a || 'broken' in b) return 'broken' in a && 'broken' in b;
  return a.seq === b.seq && a.text === b.text && (!comparesHash || a.hash === b.hash);
}

/** The states of all accounts as the files of a backup give them, part by part. @throws {NewerFormat} when a newer build has to read one */
export async function* statesInFiles(
  folder: string,
  backup: Pick<Manifest, 'journalChars' | 'accounts' | 'formats'>,
): AsyncGenerator<AccountState> {
  for (const part of partsOf(backup)) yield* statesOfPart(folder, part, backup);
}

export async function* statesOfPart(
  folder: string,
  part: Part,
  { formats }: Pick<Manifest, 'formats'>,
): AsyncGenerator<AccountState> {
  yield* statesOf(await entriesIn(folder, part, formats), snapshotsIn(folder, part));
}

async function entriesIn(folder: string, part: Part, formats: number): Promise<Entries> {
  const entries = new Entries(part, formats);
  for await (const text of readRows(join(folder, BESIDE_FILE))) {
    const row: BesideRow = JSON.parse(text);
    if (row.kind === 'entrySetAside') entries.addSetAside(row.account, row.entry);
  }
  for await (const text of readRows(join(folder, JOURNAL_FILE))) entries.addCommit(JSON.parse(text) as JournalRow);
  return entries;
}

async function* snapshotsIn(folder: string, part: Part): AsyncGenerator<SnapshotText> {
  for await (const text of readRows(join(folder, collectionFile(collections.accounts)))) {
    const snapshot = BSON.EJSON.parse(text) as SnapshotText;
    if (isIn(part, snapshot._id)) yield snapshot;
  }
}
