// An account as of any of its entries, folded from what is archived of it: the nearest state before the entry, and the entries
// between. It decides nothing and knows no store.
import { type Account, emptyAccount } from './account/account.ts';
import { fromSnapshot } from './account/accountCodec.ts';
import { applyEntry, type EvolveSteps } from './fold/evolve.ts';
import { readEntry } from './messages/entry.ts';

/** A state that entries can be folded from. */
export interface KnownState {
  readonly seq: number;
  /** Entries after this one, up to `seq`, do not count; `seq` itself = all do. */
  readonly after: number;
  /** `distance`: it is what the entries before it come to. Else the account's life has a break there. */
  readonly reason: string;
}

/** What is archived of one account. */
export interface ArchivedPast<State extends KnownState = KnownState> {
  /** By rising numbers. */
  readonly states: readonly State[];
  /** The snapshot's text. @throws Error when it cannot be read */
  readonly snapshot: (state: State) => Promise<string>;
  /** Entries of these numbers, both included, by rising numbers; those that there are. @throws Error when one cannot be read */
  readonly entries: (from: number, to: number) => AsyncIterable<{ readonly seq: number; readonly text: string }>;
}

export interface Rebuilt<State extends KnownState = KnownState> {
  readonly account: Account;
  /** What it was folded from; undefined = from the account's first entry. */
  readonly base: State | undefined;
  /** Entries folded. */
  readonly folded: number;
}

/** The account cannot be rebuilt as of the entry; the message says why, and from which entry on it can where that is known. */
export class CannotRebuild extends Error {
  override name = 'CannotRebuild';
}

/**
 * The account as of an entry. A state that cannot be read is left out for the one before it.
 * @throws {CannotRebuild}, {NewerFormat}
 */
export async function rebuildAccount<State extends KnownState>(
  past: ArchivedPast<State>,
  accountId: string,
  seq: number,
  steps: EvolveSteps,
): Promise<Rebuilt<State>> {
  const without = breakOver(past.states, seq);
  if (without !== undefined)
    throw new CannotRebuild(
      `Entry ${seq} does not count: those from ${without.after + 1} to ${without.seq} are ${wordsOf(without)}.`,
    );
  let failure: unknown;
  for (const base of basesFor(past.states, seq)) {
    try {
      const account = base === undefined ? emptyAccount(accountId) : fromSnapshot(await past.snapshot(base));
      return await foldUpTo(past, { account, base, seq, steps });
    } catch (error) {
      if (error instanceof Error && error.name === 'NewerFormat') throw error;
      failure ??= error;
    }
  }
  const first = past.states.find((state) => state.seq > seq);
  const possible = first === undefined ? '' : ` The first that is possible after it is ${first.seq}.`;
  throw new CannotRebuild(`${messageOf(failure)}${possible}`, { cause: failure });
}

/** The break whose entries without effect have this one among them. */
export const breakOver = <State extends KnownState>(states: readonly State[], seq: number): State | undefined =>
  states.find((state) => state.after < seq && seq < state.seq);

/** States to begin with, the nearest first, back to the last break or the account's beginning (undefined). */
function* basesFor<State extends KnownState>(states: readonly State[], seq: number): Generator<State | undefined> {
  for (const state of states.filter((one) => one.seq <= seq).toReversed()) {
    yield state;
    if (state.reason !== 'distance') return;
  }
  yield undefined;
}

async function foldUpTo<State extends KnownState>(
  past: ArchivedPast<State>,
  { account, base, seq, steps }: { account: Account; base: State | undefined; seq: number; steps: EvolveSteps },
): Promise<Rebuilt<State>> {
  let [state, folded] = [account, 0];
  for await (const entry of past.entries(state.seq + 1, seq)) {
    if (entry.seq !== state.seq + 1) throw new CannotRebuild(missing(state.seq + 1, entry.seq - 1));
    state = folding(state, entry, steps);
    folded += 1;
  }
  if (state.seq !== seq) throw new CannotRebuild(missing(state.seq + 1, seq));
  return { account: state, base, folded };
}

/** @throws {CannotRebuild} when the entry's text or events cannot be folded */
function folding(state: Account, { seq, text }: { seq: number; text: string }, steps: EvolveSteps): Account {
  try {
    return applyEntry(state, readEntry(text), steps);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    throw new CannotRebuild(`Entry ${seq} cannot be folded: ${messageOf(error)}`, { cause: error });
  }
}

const missing = (from: number, to: number): string =>
  from >= to ? `Entry ${from} is not there.` : `Entries ${from} to ${to} are not there.`;

const WORDS: Readonly<Record<string, string>> = { redisLost: 'lost by Redis', entriesGivenUp: 'given up', rebuilt: 'given up' };
const wordsOf = ({ reason }: KnownState): string => WORDS[reason] ?? 'no part of its life';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
