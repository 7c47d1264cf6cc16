// Users in MongoDB. An e-mail address belongs to one user, which a unique index guarantees: of two registrations at
// once the store refuses one.
import type { Collection, Filter } from 'mongodb';
import type { PaidTime } from '../domain/billing/payment.ts';
import type { PaidPeriod } from '../domain/billing/subscription.ts';
import { type Plan, plans } from '../domain/plan.ts';
import { makeOnce } from '../waiting.ts';
import { collections, durable, isFirst, type MongoConnection } from './mongo.ts';

/** Roles that a user may have beside being a user. Operators grant them by `bin/admin`; no request gives one. */
export const USER_ROLES = ['operator'] as const;
/** `operator`: may see and do what is below /v1/admin. */
export type UserRole = (typeof USER_ROLES)[number];

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
  /** Tokens that can still set a new password, by their digest. Owner: api/auth. */
  readonly resetTokens?: readonly ResetToken[];
  /** When the address was verified; null = not yet, absent = registered before addresses were. Owner: api/auth. */
  readonly emailVerifiedAt?: Date | null;
  /** Tokens that can still verify the address, by their digest. Owner: api/auth. */
  readonly verifyTokens?: readonly ResetToken[];
  /** Rises when a reset revokes all keys: those made under an earlier one are good for nothing; absent = 0. Owner: api/auth. */
  readonly keyEpoch?: number;
  /** Such keys may still hold their places. Owner: api/auth. */
  readonly keysToRevoke?: true;
  /** Keyed hashes of the networks from which the password was used, the newest last. Owner: api/auth. */
  readonly knownNetworks?: readonly string[];
  /** Billing: the period of the last payment; absent = never paid. */
  readonly billingPeriod?: PaidPeriod;
  /** Billing: no invoice is made for the next period. */
  readonly cancelAtPeriodEnd?: boolean;
  /** Billing: the plan from a time on, within the paid time. */
  readonly nextPlan?: { readonly plan: Plan; readonly from: Date } | null;
  /** Billing: the newest invoices that have changed this document, so that none changes it twice. */
  readonly appliedInvoices?: readonly string[];
  /** Billing: the newest invoices whose payment buys nothing: it came too late, or was taken back. None of them is applied any more. */
  readonly refusedInvoices?: readonly string[];
  /** Billing: what the newest applied invoices bought, so that it can be taken back. */
  readonly paidTimes?: readonly BoughtTime[];
  /** Billing: a discount code that holds for all further payments. */
  readonly standingDiscount?: string;
  /** When the right to trade ended, written by the job `trial-expiry`; absent while it lasts. Owner: jobs. */
  readonly expiredAt?: Date;
  /** When the job closed the account after that; a payment clears both times. Owner: jobs. */
  readonly closedAt?: Date;
  /**
   * How many sub-accounts may exist: it is raised before one is made, so none has a higher number; absent = 0. Which of them do
   * exist, the master account knows. Owner: api.
   */
  readonly subAccountsMade?: number;
  /** Rights of the user beside those of every user; absent = none. Owner: operators (`bin/admin`). */
  readonly roles?: readonly UserRole[];
  readonly schema: 1;
}

export interface BoughtTime extends PaidTime {
  readonly invoiceId: string;
}

export interface ResetToken {
  /** SHA-256, hex. */
  readonly digest: string;
  readonly expiresAt: Date;
}

/** Links of one kind that are in force at once: of more requests none sends a mail, for a mailbox that is full of them helps no one. */
const LINKS_MAX = 5;

/** Networks that a user's document keeps. */
const KNOWN_NETWORKS_MAX = 20;

export class UserStore {
  readonly #users: Collection<User>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#users = mongo.db.collection<User>(collections.users, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#users.createIndexes([
        { key: { email: 1 }, unique: true },
        { key: { address: 1 } },
        { key: { 'resetTokens.digest': 1 }, sparse: true },
        { key: { 'verifyTokens.digest': 1 }, sparse: true },
      ]),
    );
  }

  /** @returns false when the address belongs to another user already */
  async insert(user: User): Promise<boolean> {
    await this.#ensureIndexes();
    return isFirst(this.#users.insertOne(user));
  }

  findByEmail(email: string): Promise<User | null> {
    return this.#users.findOne({ email });
  }

  findById(id: string): Promise<User | null> {
    return this.#users.findOne({ _id: id });
  }

  /**
   * Users by their e-mail addresses, in the order of the alphabet.
   * @param prefix of the address, lower case
   * @param after the last address of the page before
   */
  async page({ prefix, after, limit }: { prefix: string; after?: string; limit: number }): Promise<User[]> {
    await this.#ensureIndexes();
    // Beyond all that begins with the prefix; a pattern would be text of a stranger.
    const email = { ...(after === undefined ? { $gte: prefix } : { $gt: after }), $lt: `${prefix}\u{10ffff}` };
    return this.#users.find({ email }).sort({ email: 1 }).limit(limit).toArray();
  }

  findByAddress(address: string): Promise<User | null> {
    return this.#users.findOne({ address });
  }

  /** @returns false when the user had the role already, or had none to lose */
  async setRole(id: string, role: UserRole, isGranted: boolean): Promise<boolean> {
    const update = isGranted ? { $addToSet: { roles: role } } : { $pull: { roles: role } };
    return (await this.#users.updateOne({ _id: id }, update)).modifiedCount === 1;
  }

  /** @returns false when the user has as many links in force as may be */
  async addResetToken(id: string, token: ResetToken, now: Date): Promise<boolean> {
    await this.#ensureIndexes();
    await this.#users.updateOne({ _id: id }, { $pull: { resetTokens: { expiresAt: { $lte: now } } } });
    const hasRoom = { _id: id, [`resetTokens.${LINKS_MAX - 1}`]: { $exists: false } };
    return (await this.#users.updateOne(hasRoom, { $push: { resetTokens: token } })).modifiedCount === 1;
  }

  findByResetToken(digest: string, at: Date): Promise<User | null> {
    return this.#users.findOne(inForce(digest, at));
  }

  /** Adds a token that can verify the address; the newest few stay. */
  async addVerifyToken(id: string, token: ResetToken): Promise<void> {
    await this.#ensureIndexes();
    await this.#users.updateOne({ _id: id }, { $push: { verifyTokens: { $each: [token], $slice: -LINKS_MAX } } });
  }

  /** Verifies an address by a token. @returns the user, or null when the token is not valid, e.g. for the second of two requests */
  verifyEmail(digest: string, at: Date): Promise<User | null> {
    return this.#users.findOneAndUpdate(
      { verifyTokens: { $elemMatch: { digest, expiresAt: { $gt: at } } } },
      { $set: { emailVerifiedAt: at }, $unset: { verifyTokens: '' } },
      { returnDocument: 'after' },
    );
  }

  /** Removes the mark of `resetPassword`, unless another reset has made one meanwhile. */
  async keysRevoked({ _id, keyEpoch = 0 }: Pick<User, '_id' | 'keyEpoch'>): Promise<void> {
    await this.#users.updateOne({ _id, keyEpoch }, { $unset: { keysToRevoke: '' } });
  }

  /** Puts a network at the end of the user's known ones. */
  async addKnownNetwork(id: string, digest: string): Promise<void> {
    await this.#users.updateOne({ _id: id }, { $pull: { knownNetworks: digest } });
    const $each = [digest];
    await this.#users.updateOne({ _id: id }, { $push: { knownNetworks: { $each, $slice: -KNOWN_NETWORKS_MAX } } });
  }

  /**
   * Sets the password by a reset token. That token, the user's other reset tokens and all access tokens end.
   * @returns the user, or null when the token is not valid, e.g. for the second of two requests with it
   */
  resetPassword(reset: {
    digest: string;
    passwordHash: string;
    at: Date;
    /** The link was in a mail to an address that was not verified before. */
    verifies: boolean;
    /** No key that exists by then works from then on. */
    revokesKeys: boolean;
  }): Promise<User | null> {
    const { digest, passwordHash, at, verifies, revokesKeys } = reset;
    const $set = { passwordHash, ...(verifies && { emailVerifiedAt: at }), ...(revokesKeys && { keysToRevoke: true as const }) };
    const gone = { resetTokens: '', verifyTokens: '', keptTokenId: '', knownNetworks: '' } as const;
    const update = { $set, $unset: gone, $inc: { tokenGeneration: 1, ...(revokesKeys && { keyEpoch: 1 }) } };
    return this.#users.findOneAndUpdate(inForce(digest, at), update, { returnDocument: 'after' });
  }

  /**
   * Sets another password and ends all access tokens but one. Networks from which the old one was used are no longer known.
   * @returns the user as changed, or null when the password is no longer the one of `user`, or the tokens of `user` have been
   *   ended meanwhile
   */
  changePassword(
    { _id, passwordHash: from, tokenGeneration }: User,
    { passwordHash, keptTokenId, knownNetworks }: { passwordHash: string; keptTokenId: string; knownNetworks: readonly string[] },
  ): Promise<User | null> {
    return this.#users.findOneAndUpdate(
      { _id, passwordHash: from, ...ofGeneration(tokenGeneration) },
      { $set: { passwordHash, keptTokenId, knownNetworks }, $unset: { resetTokens: '' }, $inc: { tokenGeneration: 1 } },
      { returnDocument: 'after' },
    );
  }

  /**
   * Ends all access tokens but one.
   * @param keptTokenId undefined = none goes on
   * @returns the user as changed, or null when the tokens of `user` have been ended meanwhile
   */
  endTokens(
    { _id, tokenGeneration }: Pick<User, '_id' | 'tokenGeneration'>,
    keptTokenId: string | undefined,
  ): Promise<User | null> {
    const kept = keptTokenId === undefined ? { $unset: { keptTokenId: '' as const } } : { $set: { keptTokenId } };
    const filter = { _id, ...ofGeneration(tokenGeneration) };
    return this.#users.findOneAndUpdate(filter, { ...kept, $inc: { tokenGeneration: 1 } }, { returnDocument: 'after' });
  }

  /**
   * Makes room for one more sub-account, before it is made: as often as this was called, so many may exist, and never more than the
   * plan allows.
   * @returns the user as it is now, or null when there is none any more
   */
  async noteSubAccount(id: string): Promise<User | null> {
    for (let user = await this.#users.findOne({ _id: id }); user !== null; ) {
      const { plan } = user;
      const hasRoom: Filter<User> = {
        $or: [{ subAccountsMade: { $exists: false } }, { subAccountsMade: { $lt: plans[plan].subAccountsMax } }],
      };
      const update = { $inc: { subAccountsMade: 1 } };
      const noted = await this.#users.findOneAndUpdate({ _id: id, plan, ...hasRoom }, update, { returnDocument: 'after' });
      if (noted !== null) return noted;
      user = await this.#users.findOne({ _id: id });
      if (user?.plan === plan) return user; // full; with another plan since, it is asked again
    }
    return null;
  }

  /** Removes the user; the e-mail address is free again. @returns the user as it was at last, or null when there was none */
  remove(id: string): Promise<User | null> {
    return this.#users.findOneAndDelete({ _id: id });
  }
}

const inForce = (digest: string, at: Date): Filter<User> => ({
  resetTokens: { $elemMatch: { digest, expiresAt: { $gt: at } } },
});

const ofGeneration = (tokenGeneration = 0): Filter<User> =>
  tokenGeneration === 0 ? { $or: [{ tokenGeneration: { $exists: false } }, { tokenGeneration }] } : { tokenGeneration };
