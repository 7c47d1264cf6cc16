// E-mail addresses that had a trial, as keyed hashes: an account that is deleted and registered again, or written in
// another way, gets no second one. The record outlives its user by years; it holds no address and opens nothing.
import type { Collection } from 'mongodb';
import { collections, durable, isFirst, type MongoConnection } from './mongo.ts';

/** A record without a user is of a registration that is under way, or, after this, ms, of one that died. */
const ABANDONED_MS = 60_000;
/** Waits for a record that is removed while it is read. */
const TRIES = 3;

export interface Trial {
  /** Keyed hash of the address. */
  readonly _id: string;
  /** The user who has the trial. */
  readonly userId: string;
  readonly at: Date;
  /** When the user's account was deleted. */
  readonly deletedAt?: Date;
  readonly schema: 1;
}

/** `had`: the address had a trial. `underWay`: another registration holds it and has made no user yet. */
export type Taken = 'taken' | 'had' | 'underWay';

export class TrialStore {
  readonly #trials: Collection<Trial>;

  constructor(mongo: MongoConnection) {
    this.#trials = mongo.db.collection<Trial>(collections.trials, durable);
  }

  /**
   * Takes the address's only trial for a user who is about to be made. A second call for the same user takes it again, unless
   * the account was deleted in between.
   * @param hasUser whether a user with this id exists
   */
  async take(trial: Pick<Trial, '_id' | 'userId' | 'at'>, hasUser: (userId: string) => Promise<boolean>): Promise<Taken> {
    const { _id, userId, at } = trial;
    for (let tries = 0; tries < TRIES; tries++) {
      if (await isFirst(this.#trials.insertOne({ _id, userId, at, schema: 1 }))) return 'taken';
      const held = await this.#trials.findOne({ _id });
      if (held === null) continue;
      // The same user id may come again: with the same Idempotency-Key after the account was deleted.
      if (held.deletedAt !== undefined) return 'had';
      if (held.userId === userId) return 'taken';
      if (await hasUser(held.userId)) return 'had';
      if (at.getTime() - held.at.getTime() < ABANDONED_MS) return 'underWay';
      const abandoned = { _id, userId: held.userId, at: held.at, deletedAt: { $exists: false } };
      return (await this.#trials.updateOne(abandoned, { $set: { userId, at } })).modifiedCount === 1 ? 'taken' : 'underWay';
    }
    return 'underWay';
  }

  /** Keeps the record of a user who is about to be removed, also of one who registered before there were records. */
  async keep({ _id, userId, at }: Pick<Trial, '_id' | 'userId' | 'at'>): Promise<void> {
    await this.#trials.updateOne({ _id }, { $set: { deletedAt: at }, $setOnInsert: { userId, at, schema: 1 } }, { upsert: true });
  }

  /** Removes records of accounts that were deleted before a time; returns their number. */
  async forgetDeletedBefore(time: Date): Promise<number> {
    return (await this.#trials.deleteMany({ deletedAt: { $lt: time } })).deletedCount;
  }
}
