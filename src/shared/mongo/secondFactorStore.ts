// Second factors: one document a user, from the moment that one is begun. Every check of a code changes the document,
// also a wrong one, by compare-and-set on its revision. So no guess goes uncounted, and of two requests with one code
// at the same moment one finds it used.
import type { Collection } from 'mongodb';
import { collections, durable, isFirst, type MongoConnection } from './mongo.ts';

export interface SecondFactorDocument {
  /** The user's id. */
  readonly _id: string;
  /** Of the authenticator, sealed (AES-256-GCM). */
  readonly secret: string;
  readonly createdAt: Date;
  /** When a code showed that the authenticator has the secret; absent until then: logins ask for nothing. */
  readonly confirmedAt?: Date;
  /** The newest time step whose code was used; no code of it or before is good any more. */
  readonly lastStep: number;
  readonly recovery: { readonly salt: string; readonly digests: readonly string[] };
  /** Wrong codes of the last hour. */
  readonly guesses: readonly Guess[];
  readonly revision: number;
  readonly schema: 1;
}

export interface Guess {
  readonly at: Date;
  /** The guesser: a network, a device or a session. */
  readonly subject: string;
  /** Guesses of a client that the account knows do not count for all others. */
  readonly isKnown: boolean;
}

export class SecondFactorStore {
  readonly #factors: Collection<SecondFactorDocument>;

  constructor(mongo: MongoConnection) {
    this.#factors = mongo.db.collection<SecondFactorDocument>(collections.secondFactors, durable);
  }

  find(userId: string): Promise<SecondFactorDocument | null> {
    return this.#factors.findOne({ _id: userId });
  }

  /** Begins a second factor, in place of one that was begun and not confirmed. @returns false when one is confirmed */
  begin(factor: SecondFactorDocument): Promise<boolean> {
    const { _id, ...rest } = factor;
    return isFirst(this.#factors.replaceOne({ _id, confirmedAt: { $exists: false } }, rest, { upsert: true }));
  }

  /** @returns false when the document has been changed meanwhile */
  async change(
    { _id, revision }: Pick<SecondFactorDocument, '_id' | 'revision'>,
    change: Partial<Omit<SecondFactorDocument, '_id' | 'revision' | 'schema'>>,
  ): Promise<boolean> {
    const update = { $set: { ...change, revision: revision + 1 } };
    return (await this.#factors.updateOne({ _id, revision }, update)).matchedCount === 1;
  }

  /**
   * @param factor the one to remove, by its sealed secret; absent = any
   * @returns false when there was none
   */
  async remove(userId: string, factor?: Pick<SecondFactorDocument, 'secret'>): Promise<boolean> {
    const which = factor === undefined ? {} : { secret: factor.secret };
    return (await this.#factors.deleteOne({ _id: userId, ...which })).deletedCount === 1;
  }

  async removeAllOf(userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0) await this.#factors.deleteMany({ _id: { $in: [...userIds] } });
  }
}
