// One account's entries folded one after the other, from its first state to its newest entry. On the way every state that is known of
// it is compared: those in the archive, and those that a caller expects.
import { type Account, emptyAccount } from '../../actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../actors/core/account/accountCodec.ts';
import { readEntry } from '../../actors/core/messages/entry.ts';
import { type ArchivedPast, breakOver } from '../../actors/core/rebuildAccount.ts';
import { applyEntry } from '../../features/rules.ts';
import { ArchiveDamaged, type ArchivedEntry, type StateHead } from '../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { Differs, firstDifference, shown } from './firstDifference.ts';

/** A state that has to be what the entries come to. */
export interface Checkpoint {
  readonly seq: number;
  readonly where: string;
  readonly check: (state: Account) => void;
}

/** What is archived of an account, without its entries: they are handed over one by one. */
type KnownPast = Pick<ArchivedPast<StateHead>, 'states' | 'snapshot'> & {
  readonly accountId: string;
};

export class FoldedPast {
  readonly #past: KnownPast;
  readonly #checkpoints: Checkpoint[] = [];
  readonly #states: StateHead[];
  #state: Account | undefined;
  folded = 0;
  first = 0;
  last = 0;
  states = 0;
  readonly notes: string[] = [];

  constructor(past: KnownPast) {
    this.#past = past;
    this.#states = [...past.states];
  }

  get hash(): string | undefined {
    return this.#state && stateHashOf(this.#state);
  }

  /** A state that has to come, unless it has: then it is compared with the one that is there. */
  expect(checkpoint: Checkpoint): void {
    this.#checkpoints.push(checkpoint);
    this.#check();
  }

  /** Takes the next entry. @returns true when it was folded */
  async step(entry: ArchivedEntry): Promise<boolean> {
    await this.#takeStates(this.last);
    if (this.first === 0) this.#begin(entry.seq);
    else if (entry.seq !== this.last + 1) this.#hole(this.last + 1, entry.seq - 1);
    await this.#takeStates(entry.seq - 1);
    this.last = entry.seq;
    if (breakOver(this.#past.states, entry.seq) !== undefined || this.#isBreak(entry.seq)) return false;
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
      this.notes.push(`${where} is of entry ${seq}, which cannot be rebuilt: it was not compared.`);
    }
  }

  #begin(seq: number): void {
    this.first = seq;
    if (seq === 1) this.#state = emptyAccount(this.#past.accountId);
    else {
      const state = this.#states[0]?.seq;
      this.notes.push(`The first entry that is there is ${seq}; what can be rebuilt begins with state ${state ?? 'none'}.`);
      if (state !== undefined && state + 1 < seq) this.#hole(state + 1, seq - 1);
    }
  }

  /** An entry whose number a break has taken: the account goes on from the state of the break. */
  #isBreak(seq: number): boolean {
    return this.#past.states.some((state) => state.seq === seq && state.after < seq);
  }

  #hole(from: number, to: number): void {
    if (this.#past.states.some((state) => explains(state, { from, to }))) return;
    const expected = from === to ? `entry ${from}` : `entries ${from} to ${to}`;
    throw new Differs({ seq: from, where: 'archive', field: 'entries', expected, found: `entry ${to + 1} after ${from - 1}` });
  }

  /** Compares, or goes on from, the states up to this entry. */
  async #takeStates(upTo: number): Promise<void> {
    for (let next = this.#states[0]; next !== undefined && next.seq <= upTo; next = this.#states[0]) {
      this.#states.shift();
      const found = await this.#readState(next);
      const where = `archiveStates ${next._id}`;
      const isFolded = this.#state?.seq === next.seq;
      if (isFolded && next.after === next.seq) compare(this.#state as Account, found, where);
      else if (!isFolded && (this.#state === undefined || next.reason !== 'distance')) this.#goOnFrom(next, found);
      else if (!isFolded && breakOver(this.#past.states, next.seq) === undefined)
        this.#checkpoints.push({ seq: next.seq, where, check: (state) => compare(state, found, where) });
      this.#check();
    }
  }

  #goOnFrom({ seq, after }: StateHead, found: Account): void {
    const reached = this.#state?.seq ?? after;
    if (reached < after) {
      const entries = reached + 1 === after ? `Entry ${after}` : `Entries ${reached + 1} to ${after}`;
      this.notes.push(`${entries} had not been archived when Redis lost them; it goes on from state ${seq}.`);
    }
    this.#state = found;
  }

  async #readState(head: StateHead): Promise<Account> {
    const where = `archiveStates ${head._id}`;
    const text = await this.#past.snapshot(head).catch((error: unknown) => {
      if (!(error instanceof ArchiveDamaged)) throw error;
      throw new Differs({ seq: head.seq, where, field: 'data', expected: 'a snapshot', found: error.message });
    });
    const state = readable(text, { seq: head.seq, where });
    const hash = stateHashOf(state);
    for (const field of ['seq', 'timeMs'] as const) {
      if (state[field] === head[field]) continue;
      throw new Differs({ seq: head.seq, where, field, expected: String(state[field]), found: String(head[field]) });
    }
    this.states += 1;
    if (hash !== head.hash && this.#state?.seq === head.seq) compare(this.#state, state, where);
    if (hash !== head.hash) throw new Differs({ seq: head.seq, where, field: 'hash', expected: hash, found: head.hash });
    return state;
  }

  #check(): void {
    const state = this.#state;
    if (state === undefined) return;
    for (const checkpoint of this.#checkpoints.filter(({ seq }) => seq === state.seq)) {
      checkpoint.check(state);
      this.#checkpoints.splice(this.#checkpoints.indexOf(checkpoint), 1);
    }
  }
}

/**
 * A hole lies among entries that do not count. Or they were in MongoDB's snapshot, from which the account goes on, and not yet in the
 * archive, when Redis lost its journal.
 */
function explains({ after, seq, reason }: StateHead, { from, to }: { from: number; to: number }): boolean {
  if (to > seq) return false;
  return after < from || (reason === 'redisLost' && after <= to);
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
export function compare(expected: Account, found: Account, where: string): void {
  if (stateHashOf(expected) === stateHashOf(found)) return;
  const [a, b] = [expected, found].map((state) => JSON.parse(toSnapshot(state, NEWEST_FORMAT)) as unknown);
  const difference = firstDifference(a, b) ?? { field: 'hash', expected: stateHashOf(expected), found: stateHashOf(found) };
  throw new Differs({ seq: expected.seq, where, ...difference });
}

/** @throws {Differs} when the text is no snapshot */
export function readable(text: string, { seq, where }: { seq: number; where: string }): Account {
  try {
    return fromSnapshot(text);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    throw new Differs({ seq, where, field: 'text', expected: 'a snapshot', found: shown(text) });
  }
}
