// Finds the users whose right to trade has ended. Each change is guarded by the values that were read before it, so a
// payment that arrives at the same moment wins.
import type { Collection, Filter } from 'mongodb';
import { collections, durable, type MongoConnection } from '../shared/mongo/mongo.ts';
import type { User } from '../shared/mongo/userStore.ts';

export class ExpiredUsers {
  readonly #users: Collection<User>;

  constructor(mongo: MongoConnection) {
    this.#users = mongo.db.collection<User>(collections.users, durable);
  }

  async ensureIndexes(): Promise<void> {
    await this.#users.createIndex({ expiredAt: 1, subscriptionExpiresAt: 1, trialExpiresAt: 1 });
    await this.#users.createIndex({ closedAt: 1, expiredAt: 1 });
  }

  /** Users whose trial and grace are over and whose document does not say so yet. */
  async unnoted({ nowMs, graceMs }: { nowMs: number; graceMs: number }, limit: number): Promise<User[]> {
    const trialIsOver = { expiredAt: { $exists: false }, trialExpiresAt: { $lte: new Date(nowMs) } };
    const neverPaid = await this.#users
      .find({ ...trialIsOver, subscriptionExpiresAt: null })
      .limit(limit)
      .toArray();
    const paidOnce = await this.#users
      .find({ ...trialIsOver, subscriptionExpiresAt: { $lte: new Date(nowMs - graceMs) } })
      .limit(limit)
      .toArray();
    return [...neverPaid, ...paidOnce];
  }

  /** Users whose document says that they expired at or before a time, and whose account is not closed. */
  unclosed(expiredAtMs: number, limit: number): Promise<User[]> {
    return this.#users
      .find({ expiredAt: { $lte: new Date(expiredAtMs) }, closedAt: { $exists: false } })
      .limit(limit)
      .toArray();
  }

  /** @returns false when the user has paid, or changed in another way, since */
  async note(user: User, fields: Pick<User, 'expiredAt' | 'closedAt'>): Promise<boolean> {
    const { matchedCount } = await this.#users.updateOne(asRead(user), { $set: fields });
    return matchedCount === 1;
  }

  /** Clears both times: the user has paid, or an operator granted time. */
  async forget(user: User): Promise<void> {
    await this.#users.updateOne(asRead(user), { $unset: { expiredAt: '', closedAt: '' } });
  }

  /** The filter that matches while the user is as it was read. */
  async isUnchanged(user: User): Promise<boolean> {
    return (await this.#users.findOne(asRead(user), { projection: { _id: 1 } })) !== null;
  }
}

const asRead = ({ _id, trialExpiresAt, subscriptionExpiresAt }: User): Filter<User> => ({
  _id,
  trialExpiresAt,
  subscriptionExpiresAt,
});
