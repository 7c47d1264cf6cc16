// Puts states of accounts into the archive: one for each stretch of entries, from the snapshots that MongoDB gets anyway, and one
// where an account goes on from something else than its entries. From them later entries are folded.
import type { CollectionOptions } from 'mongodb';
import { firstOfState, type StateDocument, type StateReason, stateId, writeState } from '../../../shared/archive/archiveForm.ts';
import type { Format } from '../../../shared/domain/formats.ts';
import { collections, durable, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { refusedUpserts } from '../../../shared/mongo/refusedUpserts.ts';
import { stateHashOf } from '../../../shared/stateHash.ts';
import { fromSnapshot } from '../../core/account/snapshot.ts';

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

export class ArchivedStates {
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
