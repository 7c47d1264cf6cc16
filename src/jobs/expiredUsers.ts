// The users whose right to trade is over, as MongoDB finds them. Every change is guarded by what was read before it, so a
// payment that comes at the same moment wins.
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

  /** Users whose trial is over, and the grace of whatever they paid for, and who have not been noted. */
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

  /** Users who were noted as expired at or before a time and whose accounts are not closed. */
  unclosed(expiredAtMs: number, limit: number): Promise<User[]> {
    return this.#users
      .find({ expiredAt: { $lte: new Date(expiredAtMs) }, closedAt: { $exists: false } })
      .limit(limit)
      .toArray();
  }

  /** @returns false when the user has paid or changed otherwise since */
  async note(user: User, fields: Pick<User, 'expiredAt' | 'closedAt'>): Promise<boolean> {
    const { matchedCount } = await this.#users.updateOne(asRead(user), { $set: fields });
    return matchedCount === 1;
  }

  /** Takes the notes back: the user has paid, or was granted time. */
  async forget(user: User): Promise<void> {
    await this.#users.updateOne(asRead(user), { $unset: { expiredAt: '', closedAt: '' } });
  }

  /** True while the user is as it was read. */
  async isUnchanged(user: User): Promise<boolean> {
    return (await this.#users.findOne(asRead(user), { projection: { _id: 1 } })) !== null;
  }
}

const asRead = ({ _id, trialExpiresAt, subscriptionExpiresAt }: User): Filter<User> => ({
  _id,
  trialExpiresAt,
  subscriptionExpiresAt,
});
