// What an account is: a snapshot and the entries after it, folded. An owner that recovers makes states here, and so does an
// operator's command that wants to know what an owner would make.
import { type Account, emptyAccount } from '../account/account.ts';
import { fromSnapshot } from '../account/accountCodec.ts';
import { countRows } from '../history/rowsOfEvents.ts';
import { tripSumsAfter } from '../margin/roundTrip.ts';
import type { AccountEntry } from '../messages/entry.ts';
import { HISTORY_KINDS } from '../messages/historyRows.ts';
import { applyEntry, type EvolveSteps } from './evolve.ts';

/**
 * @param snapshot its text; undefined = the account begins empty
 * @param entries oldest first; those that the state covers are left out
 * @throws {NewerFormat} when a newer build has written one of them; Error when they cannot be folded
 */
export function foldAccount(
  accountId: string,
  snapshot: string | undefined,
  entries: Iterable<AccountEntry>,
  steps: EvolveSteps,
): Account {
  let account = snapshot === undefined ? emptyAccount(accountId) : fromSnapshot(snapshot);
  for (const entry of entries) {
    if (entry.seq > account.seq) account = applyEntry(account, entry, steps);
  }
  return account;
}

/**
 * What is left of an account when entries of it cannot be folded and an operator gives them up: its last good state, with
 * the numbers that the entries have used. So no number is given twice, and rows that were shown keep theirs.
 */
export interface LastGoodState {
  readonly account: Account;
  /** Entries that can be folded no more, oldest first; empty = all can. */
  readonly givenUp: readonly AccountEntry[];
}

/**
 * Folds as far as it goes.
 * @param base reads the state before the entries; called again after a failure, which leaves half a state
 * @param entries oldest first; those that the state covers are left out
 * @throws what `base` throws
 */
export function lastGoodState(base: () => Account, entries: readonly AccountEntry[], steps: EvolveSteps): LastGoodState {
  const covered = base().seq;
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const after = [...bySeq.values()].filter(({ seq }) => seq > covered);
  const good = foldable(base(), after, steps);
  const account = after.slice(0, good).reduce((state, entry) => applyEntry(state, entry, steps), base());
  return { account, givenUp: after.slice(good) };
}

/** The state with which the account goes on: the entries that were given up count, and change nothing. */
export function stateWithout({ account, givenUp }: LastGoodState): Account {
  const last = givenUp.at(-1);
  if (last === undefined) return account;
  const rowCounts = { ...account.rowCounts };
  for (const entry of givenUp) {
    const rows = countRows(entry);
    for (const kind of HISTORY_KINDS) {
      rowCounts[kind] = Math.max(rowCounts[kind], (entry.firstRows[kind] ?? rowCounts[kind]) + rows[kind]);
    }
  }
  const tripSums = tripSumsAfter(
    account.tripSums,
    givenUp.flatMap(({ events }) => events),
  );
  return { ...account, seq: last.seq, rowCounts, ...(tripSums && { tripSums }) };
}

/** The state with the numbers that a later one has used, and without the history that was dropped until then: its rows are gone. */
export function stateWithNumbersOf(account: Account, later: Account): Account {
  const { historyStart: start, rowCounts } = account;
  const most = (a: Counts, b: Counts): Counts =>
    Object.fromEntries(HISTORY_KINDS.map((kind) => [kind, Math.max(a[kind], b[kind])])) as Counts;
  const lastSeqs = start.lastSeqs && later.historyStart.lastSeqs && most(start.lastSeqs, later.historyStart.lastSeqs);
  const gone = lastSeqs ?? later.historyStart.lastSeqs ?? start.lastSeqs;
  return {
    ...account,
    seq: Math.max(account.seq, later.seq),
    rowCounts: most(rowCounts, later.rowCounts),
    ...(later.tripSums && { tripSums: later.tripSums }),
    historyStart: {
      firstRows: most(start.firstRows, later.historyStart.firstRows),
      seq: Math.max(start.seq, later.historyStart.seq),
      ...(gone && { lastSeqs: gone }),
    },
  };
}

type Counts = Account['rowCounts'];

/** How many of the entries can be folded. */
function foldable(account: Account, entries: readonly AccountEntry[], steps: EvolveSteps): number {
  let state = account;
  for (const [i, entry] of entries.entries()) {
    try {
      state = applyEntry(state, entry, steps);
    } catch {
      return i; // this entry and all after it are what the caller asks about
    }
  }
  return entries.length;
}
