// Users as MongoDB keeps them. An e-mail address belongs to one user, and the unique index is what says so: of two
// registrations at once, one is refused by the store itself.
import { type Collection, MongoServerError } from 'mongodb';
import type { Plan } from './domain/plan.ts';
import { collections, durable, type MongoConnection } from './mongo.ts';

export interface User {
  /** `user_…` */
  readonly _id: string;
  /** Trimmed and in lower case. */
  readonly email: string;
  /** argon2id in its own text form. */
  readonly passwordHash: string;
  readonly plan: Plan;
  /** The account's 0x address, lower case; it is the account's id everywhere else. */
  readonly address: string;
  readonly createdAt: Date;
  readonly trialExpiresAt: Date;
  /** End of what is paid for; null = never paid. */
  readonly subscriptionExpiresAt: Date | null;
  readonly schema: 1;
}

const DUPLICATE_KEY = 11_000;

/** True for the error of an insert that a unique index refuses. */
export const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === DUPLICATE_KEY;

export class UserStore {
  readonly #users: Collection<User>;
  #indexes: Promise<unknown> | undefined;

  constructor(mongo: MongoConnection) {
    this.#users = mongo.db.collection<User>(collections.users, durable);
  }

  /** @returns false when the address belongs to somebody already */
  async insert(user: User): Promise<boolean> {
    await this.#ensureIndexes();
    try {
      await this.#users.insertOne(user);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  findByEmail(email: string): Promise<User | null> {
    return this.#users.findOne({ email });
  }

  findById(id: string): Promise<User | null> {
    return this.#users.findOne({ _id: id });
  }

  #ensureIndexes(): Promise<unknown> {
    this.#indexes ??= this.#users.createIndex({ email: 1 }, { unique: true }).catch((error: unknown) => {
      this.#indexes = undefined;
      throw error;
    });
    return this.#indexes;
  }
}
