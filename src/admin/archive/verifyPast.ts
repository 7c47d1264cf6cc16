// Folds an account's past from its first state to its newest entry and compares on the way with all that is stored of it: chunks,
// states of the archive, history rows, the snapshot, and what its owner answers. It ends at the first difference.
import { type Account, emptyAccount } from '../../actors/domain/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../actors/domain/account/snapshot.ts';
import { applyEntry } from '../../actors/domain/fold/evolve.ts';
import type { SnapshotDocument } from '../../actors/domain/history/historyDocuments.ts';
import { readEntry } from '../../actors/domain/messages/entryForm.ts';
import { ArchiveDamaged, type ArchivedEntry, type StateHead } from '../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { sendToAccount } from '../accounts/sendToAccount.ts';
import type { AdminParts } from '../adminCommand.ts';
import { AccountPast, type NamedAccount } from './accountPast.ts';
import { Differs, firstDifference, shown } from './firstDifference.ts';
import { verifiedEntries } from './verifyChunks.ts';
import { RowsVerifier } from './verifyRows.ts';

export interface Verified {
  /** Entries that were folded, and the numbers of the first and the last of all that are there; 0 = none. */
  readonly folded: number;
  readonly first: number;
  readonly last: number;
  /** History rows and states that were compared. */
  readonly rows: number;
  readonly states: number;
  readonly hash: string | undefined;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
}

/** Beyond any number of an entry. */
const NO_END = Number.MAX_SAFE_INTEGER - 1024;

/** A state that has to be what the entries come to. */
interface Checkpoint {
  readonly seq: number;
  readonly where: string;
  readonly check: (state: Account) => void;
}

/** @throws {Differs} at the first difference */
export async function verifyPast(parts: AdminParts, named: NamedAccount): Promise<Verified> {
  const asked = askedOwner(parts, named);
  asked.catch(() => undefined); // a difference that is found first makes its answer needless
  const stored = await parts.mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: named.accountId });
  const past = await AccountPast.read(parts, named);
  const snapshot = stored === null ? undefined : readStored(stored);
  const start = snapshot?.account.historyStart;
  const rows = new RowsVerifier(parts.mongo, named.accountId, { start, doesCount: (seq) => past.breakOver(seq) === undefined });
  const fold = new Fold(past);
  if (snapshot) fold.expect(snapshot.checkpoint);
  for await (const entry of verifiedEntries(past.reader, named.accountId)) {
    if (await fold.step(entry)) await rows.add(readEntry(entry.text));
  }
  await rows.end();
  const owner = await asked;
  if (owner) fold.expect(owner);
  // Read anew, so that it has all that the owner has answered from.
  const { entries } = await AccountPast.read(parts, named);
  for await (const entry of entries(fold.last + 1, NO_END)) await fold.step(entry);
  await fold.end();
  const notes = [...fold.notes, ...(owner ? [] : ['Its owner did not answer with a state: only what is stored was compared.'])];
  const { folded, first, last, states, hash } = fold;
  return { folded, first, last, rows: rows.compared, states, hash, notes };
}

class Fold {
  readonly #past: AccountPast;
  readonly #checkpoints: Checkpoint[] = [];
  readonly #states: StateHead[];
  #state: Account | undefined;
  folded = 0;
  first = 0;
  last = 0;
  states = 0;
  readonly notes: string[] = [];

  constructor(past: AccountPast) {
    this.#past = past;
    this.#states = [...past.states];
  }

  get hash(): string | undefined {
    return this.#state && stateHashOf(this.#state);
  }

  /** A state that has to come, unless it has: then it is compared with the one that is there. */
  expect(checkpoint: Checkpoint): void {
    this.#checkpoints.push(checkpoint);
    if (this.#state !== undefined) this.#check();
  }

  /** Takes the next entry. @returns true when it was folded */
  async step(entry: ArchivedEntry): Promise<boolean> {
    if (this.first === 0) this.#begin(entry.seq);
    else if (entry.seq !== this.last + 1) this.#hole(this.last + 1, entry.seq - 1);
    await this.#takeStates(entry.seq - 1);
    this.last = entry.seq;
    if (this.#past.breakOver(entry.seq) !== undefined || this.#isBreak(entry.seq)) return false;
    if (this.#state?.seq !== entry.seq - 1) return false;
    this.#state = folded(this.#state, entry);
    this.folded += 1;
    this.#check();
    return true;
  }

  /** All entries are there. */
  async end(): Promise<void> {
    await this.#takeStates(Number.MAX_SAFE_INTEGER);
    const reached = this.#state?.seq ?? 0;
    for (const { seq, where } of this.#checkpoints) {
      if (seq > reached)
        throw new Differs({
          seq,
          where,
          field: 'seq',
          expected: `at most ${reached}, the newest entry that is there`,
          found: String(seq),
        });
      this.notes.push(`${where} is of entry ${seq}, before the first state that can be rebuilt: it was not compared.`);
    }
  }

  #begin(seq: number): void {
    this.first = seq;
    if (seq === 1) this.#state = emptyAccount(this.#past.accountId);
    else
      this.notes.push(
        `The first entry that is there is ${seq}; what can be rebuilt begins with state ${this.#states[0]?.seq ?? 'none'}.`,
      );
  }

  /** An entry whose number a break has taken: the account goes on from the state of the break. */
  #isBreak(seq: number): boolean {
    return this.#past.states.some((state) => state.seq === seq && state.after < seq);
  }

  #hole(from: number, to: number): void {
    const explained = this.#past.states.find(({ after, seq, reason }) =>
      reason === 'resumed' ? seq >= to : after < from && to <= seq,
    );
    if (explained === undefined) {
      const expected = from === to ? `entry ${from}` : `entries ${from} to ${to}`;
      throw new Differs({ seq: from, where: 'archive', field: 'entries', expected, found: `entry ${to + 1} after ${from - 1}` });
    }
    if (explained.reason !== 'resumed') return;
    this.notes.push(`Entries ${from} to ${to} were cut by a build without an archive; it goes on from state ${explained.seq}.`);
    this.#state = undefined;
  }

  /** Compares, or goes on from, the states up to this entry. */
  async #takeStates(upTo: number): Promise<void> {
    for (let next = this.#states[0]; next !== undefined && next.seq <= upTo; next = this.#states[0]) {
      this.#states.shift();
      const found = await this.#readState(next);
      const isFolded = this.#state?.seq === next.seq;
      if (isFolded && next.after === next.seq) compare(this.#state as Account, found, `archiveStates ${next._id}`);
      else if (!isFolded && (this.#state === undefined || next.after < next.seq)) this.#state = found;
      else continue;
      this.#check();
    }
  }

  async #readState(head: StateHead): Promise<Account> {
    const where = `archiveStates ${head._id}`;
    const text = await this.#past.snapshot(head).catch((error: unknown) => {
      if (!(error instanceof ArchiveDamaged)) throw error;
      throw new Differs({ seq: head.seq, where, field: 'data', expected: 'a snapshot', found: error.message });
    });
    const state = readable(text, { seq: head.seq, where });
    const hash = stateHashOf(state);
    if (state.seq !== head.seq)
      throw new Differs({ seq: head.seq, where, field: 'seq', expected: String(head.seq), found: String(state.seq) });
    this.states += 1;
    if (hash !== head.hash && this.#state?.seq === head.seq) compare(this.#state, state, where);
    if (hash !== head.hash) throw new Differs({ seq: head.seq, where, field: 'hash', expected: hash, found: head.hash });
    return state;
  }

  #check(): void {
    const state = this.#state as Account;
    for (const checkpoint of this.#checkpoints.filter(({ seq }) => seq === state.seq)) {
      checkpoint.check(state);
      this.#checkpoints.splice(this.#checkpoints.indexOf(checkpoint), 1);
    }
  }
}

function folded(state: Account, { seq, text }: ArchivedEntry): Account {
  try {
    return applyEntry(state, readEntry(text));
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    const found = error instanceof Error ? error.message : String(error);
    throw new Differs({ seq, where: 'archive', field: 'entry', expected: 'an entry that can be folded', found });
  }
}

/** @throws {Differs} that names the first field */
function compare(expected: Account, found: Account, where: string): void {
  if (stateHashOf(expected) === stateHashOf(found)) return;
  const [a, b] = [expected, found].map((state) => JSON.parse(toSnapshot(state, NEWEST_FORMAT)) as unknown);
  const difference = firstDifference(a, b) ?? { field: 'hash', expected: stateHashOf(expected), found: stateHashOf(found) };
  throw new Differs({ seq: expected.seq, where, ...difference });
}

function readStored({ _id, seq, text }: SnapshotDocument): { account: Account; checkpoint: Checkpoint } {
  const where = `accounts ${_id}`;
  const account = readable(text, { seq, where });
  if (account.seq !== seq) throw new Differs({ seq, where, field: 'seq', expected: String(account.seq), found: String(seq) });
  return { account, checkpoint: { seq, where, check: (state) => compare(state, account, where) } };
}

function readable(text: string, { seq, where }: { seq: number; where: string }): Account {
  try {
    return fromSnapshot(text);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    throw new Differs({ seq, where, field: 'text', expected: 'a snapshot', found: shown(text) });
  }
}

/** The state that the owner has now. @returns undefined when it does not answer, or an older build answers */
async function askedOwner(parts: AdminParts, { accountId }: NamedAccount): Promise<Checkpoint | undefined> {
  const { reply } = await sendToAccount(parts, accountId, { type: 'query', query: { kind: 'accountState' }, stateHash: true });
  if (reply === undefined || !('outcome' in reply) || reply.outcome.type !== 'answer') return undefined;
  const { seq, stateHash } = reply.outcome;
  if (stateHash === undefined || seq === 0) return undefined;
  const where = 'the state that its owner has';
  return {
    ...{ seq, where },
    check: (state) => {
      const hash = stateHashOf(state);
      if (hash !== stateHash) throw new Differs({ seq, where, field: 'state hash', expected: hash, found: stateHash });
    },
  };
}
