// Users who have deleted their account, until what they leave behind is removed: the account's address is all that finds it
// once the user's own document is gone. The API notes them, the job `retention` removes what they leave, and the note last.
import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from './mongo.ts';
import type { User } from './userStore.ts';

export interface DeletedUser {
  /** The user's id. */
  readonly _id: string;
  /** The account's. */
  readonly address: string;
  readonly deletedAt: Date;
  readonly schema: 1;
}

export class DeletedUsers {
  readonly #deleted: Collection<DeletedUser>;

  constructor(mongo: MongoConnection) {
    this.#deleted = mongo.db.collection<DeletedUser>(collections.deletedUsers, durable);
  }

  /** Notes a user who is about to be removed; again does nothing. */
  async note({ _id, address }: Pick<User, '_id' | 'address'>, deletedAt: Date): Promise<void> {
    await this.#deleted.updateOne({ _id }, { $set: { address, deletedAt, schema: 1 } }, { upsert: true });
  }

  /** Those who were noted before a time, in the order of their ids. */
  before(time: Date, page: { after: string; limit: number }): Promise<DeletedUser[]> {
    return this.#deleted
      .find({ _id: { $gt: page.after }, deletedAt: { $lt: time } })
      .sort({ _id: 1 })
      .limit(page.limit)
      .toArray();
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.#deleted.deleteMany({ _id: { $in: [...ids] } });
  }
}
