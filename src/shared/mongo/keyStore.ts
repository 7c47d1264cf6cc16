// API keys in MongoDB: a digest, never the key. Slots keep the plan's maximum: an active key holds `<user>:<n>`,
// unique in the collection, so of ten requests for the last slot nine find it taken. A revoked key gives its slot
// back and stays as a record of its id.
import type { Collection, Filter } from 'mongodb';
import type { LabProfile } from '../domain/labProfile.ts';
import type { TradeLimits } from '../domain/limits.ts';
import { makeOnce } from '../waiting.ts';
import { collections, durable, isFirst, type MongoConnection } from './mongo.ts';
import type { User } from './userStore.ts';

export interface ApiKeyDocument extends KeyLimits {
  /** `key_…`: names the key in places where the key itself must not be written. */
  readonly _id: string;
  readonly userId: string;
  readonly name: string;
  /** Address of the one account that the key reaches; absent: all accounts of the user. */
  readonly account?: string;
  /** SHA-256 of the key, hex. The key is 190 random bits, so a slow hash would protect nothing. */
  readonly digest: string;
  /** The key's first characters, for its owner to tell it from others. */
  readonly prefix: string;
  /** `<user id>:<n>`, n below the plan's cap; absent once revoked. */
  readonly slot?: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date;
  /** The owner's `keyEpoch` when it was made; absent = 0. */
  readonly epoch?: number;
  /** When the key was last made anew. */
  readonly rotatedAt?: Date;
  /** Rises with each change of limits, name or key; absent = 0. */
  readonly revision?: number;
  /** Written by the `key-usage` job. */
  readonly lastUsedAt?: Date;
  /** Its failure lab; absent: none. */
  readonly lab?: LabProfile;
  readonly schema: 1;
}

/** `replaced`: the stored digest that an earlier attempt of the same request had given the key. */
type Inserted = { readonly replaced?: string } | 'full' | 'revoked';

/** The slots of the largest plan. */
const SLOTS_MAX = 10;

/** False for a key that a reset of its owner's password has revoked, whether or not it still holds its place. */
export const isOfEpoch = ({ epoch = 0 }: Pick<ApiKeyDocument, 'epoch'>, { keyEpoch = 0 }: Pick<User, 'keyEpoch'>): boolean =>
  epoch >= keyEpoch;

export class KeyStore {
  readonly #keys: Collection<ApiKeyDocument>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#keys = mongo.db.collection<ApiKeyDocument>(collections.apiKeys, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#keys.createIndexes([
        { key: { digest: 1 }, unique: true },
        { key: { slot: 1 }, unique: true, sparse: true },
      ]),
    );
  }

  /**
   * Takes the first free slot for a new key. The same request made a key that already has this id, and died before it could
   * show the key. That key becomes the new one, with the limits of this request.
   * @param key.digest the SHA-256, also for a key with limits
   * @param slots how many active keys the user's plan allows; keys that are over by their time give theirs back
   * @returns the digest that the key had before, when it became the new one; `full` when all slots are taken, `revoked` when it
   *   has been revoked meanwhile
   */
  async insert(key: ApiKeyDocument, slots: number): Promise<Inserted> {
    await this.#ensureIndexes();
    const inserted = await this.#insert(key, slots);
    if (inserted !== 'full') return inserted;
    const over = { slot: { $in: slotsOf(key.userId, SLOTS_MAX) }, expiresAt: { $lte: key.createdAt } };
    const { modifiedCount } = await this.#keys.updateMany(over, { $unset: { slot: '' }, $set: { revokedAt: key.createdAt } });
    return modifiedCount > 0 ? this.#insert(key, slots) : 'full';
  }

  async #insert(key: ApiKeyDocument, slots: number): Promise<Inserted> {
    for (const slot of slotsOf(key.userId, slots)) {
      if (await isFirst(this.#keys.insertOne({ ...key, slot }))) return {};
      const replaced = await this.#showAnew(key);
      if (replaced !== null) return { replaced };
    }
    return (await this.#keys.findOne({ _id: key._id })) === null ? 'full' : 'revoked';
  }

  /** The user's active keys, oldest first. */
  async listActive(userId: string): Promise<ApiKeyDocument[]> {
    const keys = await this.#keys.find({ slot: { $in: slotsOf(userId, SLOTS_MAX) } }).toArray();
    return keys.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /** The active keys of several users. */
  listActiveOf(userIds: readonly string[]): Promise<ApiKeyDocument[]> {
    return this.#keys.find({ slot: { $in: userIds.flatMap((userId) => slotsOf(userId, SLOTS_MAX)) } }).toArray();
  }

  /** @param digest SHA-256 of the key, hex */
  findActive(digest: string): Promise<ApiKeyDocument | null> {
    return this.#keys.findOne({ digest, slot: { $exists: true } });
  }

  /** A user's key that is not revoked; it may be over by its time. */
  findOwn(userId: string, keyId: string): Promise<ApiKeyDocument | null> {
    return this.#keys.findOne({ _id: keyId, userId, slot: { $exists: true } });
  }

  /**
   * Replaces what the user may change of a key.
   * @param before as it was read
   * @param after.digest the SHA-256 of the key as it is from now on
   * @returns the key as it is now, or null when it has been changed or revoked meanwhile
   */
  replace(
    { _id, revision = 0 }: ApiKeyDocument,
    after: KeyLimits & Pick<ApiKeyDocument, 'name' | 'account' | 'digest' | 'prefix' | 'rotatedAt'>,
  ): Promise<ApiKeyDocument | null> {
    const { name, prefix, digest, rotatedAt } = after;
    const set = { name, prefix, digest, revision: revision + 1, ...(rotatedAt && { rotatedAt }) };
    const same: Filter<ApiKeyDocument> = revision === 0 ? { revision: { $exists: false } } : { revision };
    return this.#keys.findOneAndUpdate({ _id, slot: { $exists: true }, ...same }, limitsUpdate(after, set), {
      returnDocument: 'after',
    });
  }

  /** Gives a key of this user a failure lab, or takes it away. @returns the key as it is now; null when there is no such key */
  setLab(userId: string, keyId: string, lab: LabProfile | undefined): Promise<ApiKeyDocument | null> {
    const update = lab === undefined ? { $unset: { lab: '' as const } } : { $set: { lab } };
    return this.#keys.findOneAndUpdate({ _id: keyId, userId, slot: { $exists: true } }, update, { returnDocument: 'after' });
  }

  /**
   * Revokes a key of this user.
   * @returns the key, and whether this call revoked it; undefined when the user never had such a key
   */
  async revoke(userId: string, keyId: string, at: Date): Promise<{ key: ApiKeyDocument; isRevokedNow: boolean } | undefined> {
    const key = await this.#keys.findOne({ _id: keyId, userId });
    if (key === null) return undefined;
    const { modifiedCount } = await this.#keys.updateOne(
      { _id: keyId, slot: { $exists: true } },
      { $unset: { slot: '' }, $set: { revokedAt: at } },
    );
    return { key, isRevokedNow: modifiedCount === 1 };
  }

  /**
   * Revokes all keys of a user; returns the digests of those that were active.
   * @param below only those of an epoch below this
   */
  async revokeAll(userId: string, at: Date, below = Number.POSITIVE_INFINITY): Promise<string[]> {
    const active = (await this.listActive(userId)).filter(({ epoch = 0 }) => epoch < below);
    await this.#keys.updateMany(
      { _id: { $in: active.map(({ _id }) => _id) } },
      { $unset: { slot: '' }, $set: { revokedAt: at } },
    );
    return active.map(({ digest }) => digest);
  }

  /** Removes all keys that these users ever had. */
  async removeAllOf(userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0) await this.#keys.deleteMany({ userId: { $in: [...userIds] } });
  }

  /** @returns the digest before, or null when there is no such active key */
  async #showAnew(key: ApiKeyDocument): Promise<string | null> {
    const { _id, userId, digest, prefix, name, epoch } = key;
    const filter = { _id, userId, slot: { $exists: true } };
    const update = {
      ...limitsUpdate(key, {
        name,
        prefix,
        digest,
        ...(epoch !== undefined && { epoch }),
      }),
      $inc: { revision: 1 },
    };
    return (await this.#keys.findOneAndUpdate(filter, update, { returnDocument: 'before' }))?.digest ?? null;
  }
}

const slotsOf = (userId: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${userId}:${n}`);

/** The update that gives a key this account and these limits, and no others. */
function limitsUpdate<T extends object>(limits: KeyLimits & Pick<ApiKeyDocument, 'account'>, more: T) {
  const { account, scopes, expiresAt, addresses, trade } = limits;
  const asked = {
    ...(account !== undefined && { account }),
    ...(scopes && { scopes }),
    ...(expiresAt && { expiresAt }),
    ...(addresses && { addresses }),
    ...(trade && { trade }),
  };
  const $set = { ...more, ...asked };
  const gone = (['account', 'scopes', 'expiresAt', 'addresses', 'trade'] as const).filter((field) => limits[field] === undefined);
  return { $set, ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((field) => [field, ''] as const)) }) };
}

// What an API key may be limited to: what it may do, until when, from where, and how far it may trade.

/** `read`: look at the market and the account. `trade`: change the account. A key without a list of scopes has these. */
export const USER_SCOPES = ['read', 'trade'] as const;
/** What is below /v1/admin: looking, and acting. A key has them only where its list says so and its user is an operator. */
export const ADMIN_SCOPES = ['admin:read', 'admin:write'] as const;
export const KEY_SCOPES = [...USER_SCOPES, ...ADMIN_SCOPES] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** An absent field is no limit. */
export interface KeyLimits {
  readonly scopes?: readonly KeyScope[];
  readonly expiresAt?: Date;
  /** Addresses and networks in their usual form: `192.0.2.7`, `2001:db8::/32`. */
  readonly addresses?: readonly string[];
  /** How far it may trade. */
  readonly trade?: TradeLimits;
}
