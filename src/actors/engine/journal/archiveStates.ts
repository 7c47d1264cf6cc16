// States of accounts in the archive: one for each stretch of entries, from the snapshots that MongoDB gets anyway, and one where an
// account goes on from something else than its entries. Later entries are folded from them, also for an operator who wants an account
// back as of an earlier entry: it gets all numbers that were used since then, so no number is given twice, and rows that were shown keep
// theirs.
import type { CollectionOptions } from 'mongodb';
import { firstOfState, type StateDocument, type StateReason, stateId, writeState } from '../../../shared/archive/archiveForm.ts';
import { ArchiveReader, type StateHead } from '../../../shared/archive/archiveReader.ts';
import { type Format, NEWEST_FORMAT } from '../../../shared/domain/formats.ts';
import { collections, durable, type MongoConnection, refusedUpserts } from '../../../shared/mongo/mongo.ts';
import { stateHashOf } from '../../../shared/stateHash.ts';
import type { Account } from '../../core/account/account.ts';
import { fromSnapshot } from '../../core/account/accountCodec.ts';
import { stateWithNumbersOf, stateWithout } from '../../core/fold/foldAccount.ts';
import { type JournaledEntry, readEntry, writeEntry } from '../../core/messages/entry.ts';
import { type ArchivedPast, CannotRebuild } from '../../core/rebuildAccount.ts';
import type { Rules } from '../../core/rules.ts';

/** A state and what the archive says of it. */
export interface NewState {
  readonly accountId: string;
  readonly seq: number;
  /** The snapshot. */
  readonly text: string;
  readonly reason: StateReason;
  /** Entries after this one up to `seq` do not count; absent = all do. */
  readonly after?: number;
}

interface Target {
  readonly mongo: MongoConnection;
  readonly shard: number;
  readonly format: Format;
  /** Resolves when the next state may be made, which takes some milliseconds of a large account; absent = at once. */
  readonly nextTurn?: () => Promise<void>;
  /** Throws when a write may not begin any more; absent = it may. */
  readonly mayWrite?: () => void;
}

export class ArchiveStates {
  readonly #target: () => Target;
  /** By account, for which stretch of its entries it is known to have a state. */
  readonly #known = new Map<string, number>();

  constructor(target: () => Target) {
    this.#target = target;
  }

  /**
   * Keeps those of the snapshots that are far enough from the state before. MongoDB must not have them yet.
   * @returns ids of those that were offered
   */
  async keep(
    snapshots: readonly { readonly accountId: string; readonly seq: number; readonly text: string }[],
  ): Promise<string[]> {
    const far = snapshots.filter(({ accountId, seq }) => this.#known.get(accountId) !== firstOfState(seq));
    if (far.length === 0) return [];
    const wanted = far.map(({ accountId, seq, text }): NewState => ({ accountId, seq, text, reason: 'distance' }));
    const there = await this.#stored(wanted);
    const missing = wanted.filter((state) => !there.has(idOf(state)));
    await writeStates(this.#target(), missing);
    for (const { accountId, seq } of wanted) this.#known.set(accountId, firstOfState(seq));
    return missing.map(idOf);
  }

  /** Ids of those that an earlier owner has written: to make a state takes more than to ask for it. */
  async #stored(states: readonly NewState[]): Promise<ReadonlySet<string>> {
    const ids = states.map(idOf);
    const found = statesOf(this.#target().mongo).find({ _id: { $in: ids } }, { projection: { _id: 1 } });
    return new Set((await found.toArray()).map(({ _id }) => _id));
  }
}

/**
 * Writes states; one that is there stays.
 * @param options.isDurable resolves only when a crash of MongoDB can lose them no more
 */
export async function writeStates(
  { mongo, shard, format, nextTurn, mayWrite }: Target,
  states: readonly NewState[],
  { isDurable = false }: { isDurable?: boolean } = {},
): Promise<void> {
  const upserts = [];
  for (const state of states) {
    await nextTurn?.();
    const { _id, ...document } = await writeStateDocument({ shard, format }, state);
    upserts.push({ updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true } });
  }
  if (upserts.length === 0) return;
  mayWrite?.();
  await refusedUpserts(statesOf(mongo, isDurable ? durable : {}), upserts);
}

const statesOf = (mongo: MongoConnection, options: CollectionOptions = {}) =>
  mongo.db.collection<StateDocument>(collections.archiveStates, options);
const idOf = ({ accountId, seq, reason }: NewState): string => stateId(accountId, seq, reason);

/** The document of a state. @throws when its text is no snapshot */
export async function writeStateDocument(
  { shard, format }: Pick<Target, 'shard' | 'format'>,
  { accountId, seq, text, reason, after = seq }: NewState,
): Promise<StateDocument> {
  const state = fromSnapshot(text);
  return {
    _id: stateId(accountId, seq, reason),
    ...{ v: format, account: accountId, shard, seq, timeMs: state.timeMs, reason, after },
    hash: stateHashOf(state),
    data: await writeState(text),
  };
}

interface Wanted {
  /** Undefined = the newest entry. */
  readonly asOf: number | undefined;
  /** Entries that Redis has, oldest first. */
  readonly journaled: readonly JournaledEntry[];
  /** The snapshot that MongoDB has. */
  readonly stored: { readonly seq: number; readonly text: string } | undefined;
}

/**
 * The account as of an entry, under a number that no entry had. Later entries count no more.
 * @throws {CannotRebuild} when the archive cannot give it
 */
export async function rebuildFromArchive(
  { mongo, rules }: { readonly mongo: MongoConnection; readonly rules: Pick<Rules, 'rebuildAccount'> },
  accountId: string,
  { asOf: wanted, journaled, stored }: Wanted,
): Promise<{ account: Account; asOf: number }> {
  const reader = new ArchiveReader(mongo, accountId);
  const live = journaled.map(({ entry, text }) => ({ seq: entry.seq, text: text ?? writeEntry(entry, NEWEST_FORMAT) }));
  const past: ArchivedPast<StateHead> = {
    states: await reader.states(),
    snapshot: (state) => reader.snapshot(state),
    async *entries(from, to) {
      let last = from - 1;
      for await (const entry of reader.entries(from, to)) {
        last = entry.seq;
        yield entry;
      }
      for (const entry of live) if (entry.seq > last && entry.seq <= to) yield entry;
    },
  };
  const breaks = past.states.filter(({ reason }) => reason !== 'distance').map(({ seq }) => seq);
  const lastSeqs = (await reader.chunks()).map(({ lastSeq }) => lastSeq);
  const newest = Math.max(0, live.at(-1)?.seq ?? 0, ...lastSeqs, ...breaks);
  const asOf = wanted ?? newest;
  let { account } = await rules.rebuildAccount(past, accountId, asOf);
  const later = readable(stored?.text) ?? (await ifPossible(() => rules.rebuildAccount(past, accountId, newest)));
  if (later !== undefined) account = stateWithNumbersOf(account, later);
  if (newest > account.seq) {
    for await (const { text } of past.entries(account.seq + 1, newest))
      account = stateWithout({ account, givenUp: [readEntry(text)] });
  }
  return { account: { ...account, seq: Math.max(account.seq, stored?.seq ?? 0, newest) + 1 }, asOf };
}

/** The stored snapshot, which may be what is to be mended. */
function readable(text: string | undefined): Account | undefined {
  try {
    return text === undefined ? undefined : fromSnapshot(text);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    return undefined; // its numbers come from the entries
  }
}

async function ifPossible(rebuild: () => Promise<{ readonly account: Account }>): Promise<Account | undefined> {
  try {
    return (await rebuild()).account;
  } catch (error) {
    if (error instanceof CannotRebuild) return undefined; // entries that cannot be folded have numbers too
    throw error;
  }
}
