// Users in MongoDB. An e-mail address belongs to one user, which a unique index guarantees: of two registrations at
// once the store refuses one.
import { type Collection, type Filter, MongoServerError } from 'mongodb';
import type { Period } from '../domain/billing/subscription.ts';
import type { Plan } from '../domain/plan.ts';
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
  /** End of the paid time; null = never paid. */
  readonly subscriptionExpiresAt: Date | null;
  /** Rises when every access token of the user ends; absent = 0. Owner: api/auth. */
  readonly tokenGeneration?: number;
  /** The one access token of an earlier generation that lives on. Owner: api/auth. */
  readonly keptTokenId?: string;
  /** Access tokens that ended before their time, until that time. Owner: api/auth. */
  readonly loggedOut?: readonly EndedToken[];
  /** Tokens that can still set a new password, by their digest. Owner: api/auth. */
  readonly resetTokens?: readonly ResetToken[];
  /** Billing: the period of the last payment; absent = never paid. */
  readonly billingPeriod?: Period;
  /** Billing: no invoice is made for the next period. */
  readonly cancelAtPeriodEnd?: boolean;
  /** Billing: the plan from a time on, within the paid time. */
  readonly nextPlan?: { readonly plan: Plan; readonly from: Date } | null;
  /** Billing: the newest invoices that have changed this document, so that none changes it twice. */
  readonly appliedInvoices?: readonly string[];
  /** Billing: a discount code that holds for all further payments. */
  readonly standingDiscount?: string;
  /** When the right to trade ended, written by the job `trial-expiry`; absent while it lasts. Owner: jobs. */
  readonly expiredAt?: Date;
  /** When the job closed the account after that; a payment clears both times. Owner: jobs. */
  readonly closedAt?: Date;
  readonly schema: 1;
}

export interface EndedToken {
  readonly id: string;
  readonly until: Date;
}

export interface ResetToken {
  /** SHA-256, hex. */
  readonly digest: string;
  readonly expiresAt: Date;
}

/** Ended tokens that a user's document keeps; one more ends all of the user's tokens instead. */
const ENDED_TOKENS_MAX = 500;
/** Reset tokens that a user's document keeps, the newest: more than the limits allow while one of them is valid. */
const RESET_TOKENS_MAX = 300;

const DUPLICATE_KEY = 11_000;

/** True for the error of an insert that a unique index refuses. */
export const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === DUPLICATE_KEY;

export class UserStore {
  readonly #users: Collection<User>;
  #indexes: Promise<unknown> | undefined;

  constructor(mongo: MongoConnection) {
    this.#users = mongo.db.collection<User>(collections.users, durable);
  }

  /** @returns false when the address belongs to another user already */
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

  async addResetToken(id: string, token: ResetToken): Promise<void> {
    await this.#ensureIndexes();
    await this.#users.updateOne({ _id: id }, { $push: { resetTokens: { $each: [token], $slice: -RESET_TOKENS_MAX } } });
  }

  async hasResetToken(digest: string, at: Date): Promise<boolean> {
    return (await this.#users.findOne(inForce(digest, at), { projection: { _id: 1 } })) !== null;
  }

  /**
   * Sets the password by a reset token. That token, the user's other reset tokens and all access tokens end.
   * @returns the user, or null when the token is not valid, e.g. for the second of two requests with it
   */
  resetPassword({ digest, passwordHash, at }: { digest: string; passwordHash: string; at: Date }): Promise<User | null> {
    return this.#users.findOneAndUpdate(
      inForce(digest, at),
      { $set: { passwordHash }, $unset: { resetTokens: '', keptTokenId: '', loggedOut: '' }, $inc: { tokenGeneration: 1 } },
      { returnDocument: 'after' },
    );
  }

  /**
   * Sets another password and ends all access tokens but one.
   * @returns the user as changed, or null when the password is no longer the one of `user`
   */
  changePassword(
    { _id, passwordHash: from }: User,
    { passwordHash, keptTokenId }: { passwordHash: string; keptTokenId: string },
  ): Promise<User | null> {
    return this.#users.findOneAndUpdate(
      { _id, passwordHash: from },
      { $set: { passwordHash, keptTokenId }, $unset: { resetTokens: '' }, $inc: { tokenGeneration: 1 } },
      { returnDocument: 'after' },
    );
  }

  /** Ends one access token. When too many single tokens have been ended, all of the user's tokens end. */
  async logOut(id: string, token: EndedToken, now: Date): Promise<void> {
    await this.#users.updateOne({ _id: id }, { $pull: { loggedOut: { until: { $lte: now } } } });
    const user = await this.#users.findOneAndUpdate({ _id: id }, { $push: { loggedOut: token } }, { returnDocument: 'after' });
    if ((user?.loggedOut?.length ?? 0) <= ENDED_TOKENS_MAX) return;
    await this.#users.updateOne({ _id: id }, { $unset: { loggedOut: '', keptTokenId: '' }, $inc: { tokenGeneration: 1 } });
  }

  /** Removes the user; the e-mail address is free again. */
  async remove(id: string): Promise<void> {
    await this.#users.deleteOne({ _id: id });
  }

  #ensureIndexes(): Promise<unknown> {
    const indexes = [
      { key: { email: 1 }, unique: true },
      { key: { 'resetTokens.digest': 1 }, sparse: true },
    ];
    this.#indexes ??= this.#users.createIndexes(indexes).catch((error: unknown) => {
      this.#indexes = undefined;
      throw error;
    });
    return this.#indexes;
  }
}

const inForce = (digest: string, at: Date): Filter<User> => ({
  resetTokens: { $elemMatch: { digest, expiresAt: { $gt: at } } },
});
