// Users who have deleted their account, until their data is removed. Once the user's own document is gone, only the
// addresses of the user's accounts lead to that data. The API adds the users here; the job `retention` removes their data, and this
// record last.
import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from './mongo.ts';
import type { User } from './userStore.ts';

export interface DeletedUser {
  /** The user's id. */
  readonly _id: string;
  /** The master account's address. */
  readonly address: string;
  /** As in the user's document. */
  readonly subAccountsMade?: number;
  readonly deletedAt: Date;
  readonly schema: 1;
}

type Noted = Pick<User, '_id' | 'address' | 'subAccountsMade'>;

export class DeletedUsers {
  readonly #deleted: Collection<DeletedUser>;

  constructor(mongo: MongoConnection) {
    this.#deleted = mongo.db.collection<DeletedUser>(collections.deletedUsers, durable);
  }

  /** Adds a user who is about to be removed, or was; a second call adds what sub-accounts there have come. */
  async note({ _id, address, subAccountsMade }: Noted, deletedAt: Date): Promise<void> {
    const fields = { address, deletedAt, ...(subAccountsMade !== undefined && { subAccountsMade }), schema: 1 } as const;
    await this.#deleted.updateOne({ _id }, { $set: fields }, { upsert: true });
  }

  /** Users who were added before a time, in the order of their ids. */
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
