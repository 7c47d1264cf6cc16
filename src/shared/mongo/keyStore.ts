// API keys in MongoDB: a digest, never the key. Slots keep the plan's maximum: an active key holds `<user>:<n>`,
// unique in the collection, so of ten requests for the last slot nine find it taken. A revoked key gives its slot
// back and stays as a record of its id.
import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from './mongo.ts';
import { isDuplicate } from './userStore.ts';

export interface ApiKeyDocument {
  /** `key_…`: names the key in places where the key itself must not be written. */
  readonly _id: string;
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the key, hex. The key is 190 random bits, so a slow hash would protect nothing. */
  readonly digest: string;
  /** The key's first characters, for its owner to tell it from others. */
  readonly prefix: string;
  /** `<user id>:<n>`, n below the plan's cap; absent once revoked. */
  readonly slot?: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date;
  /** Written by the `key-usage` job. */
  readonly lastUsedAt?: Date;
  readonly schema: 1;
}

/** The slots of the largest plan. */
const SLOTS_MAX = 10;

export class KeyStore {
  readonly #keys: Collection<ApiKeyDocument>;
  #indexes: Promise<unknown> | undefined;

  constructor(mongo: MongoConnection) {
    this.#keys = mongo.db.collection<ApiKeyDocument>(collections.apiKeys, durable);
  }

  /**
   * Takes the first free slot for a new key. A key that already has this id was made by the same request, which died before
   * it could show the key: it becomes the new one.
   * @param slots how many active keys the user's plan allows
   * @returns false when all are taken
   */
  async insert(key: ApiKeyDocument, slots: number): Promise<boolean> {
    await this.#ensureIndexes();
    for (const slot of slotsOf(key.userId, slots)) {
      try {
        await this.#keys.insertOne({ ...key, slot });
        return true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        if (await this.#replace(key)) return true;
      }
    }
    return false;
  }

  /** The user's active keys, oldest first. */
  async listActive(userId: string): Promise<ApiKeyDocument[]> {
    const keys = await this.#keys.find({ slot: { $in: slotsOf(userId, SLOTS_MAX) } }).toArray();
    return keys.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  findActive(digest: string): Promise<ApiKeyDocument | null> {
    return this.#keys.findOne({ digest, slot: { $exists: true } });
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

  /** Revokes all keys of a user; returns the digests of those that were active. */
  async revokeAll(userId: string, at: Date): Promise<string[]> {
    const active = await this.listActive(userId);
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

  async #replace({ _id, userId, digest, prefix }: ApiKeyDocument): Promise<boolean> {
    const filter = { _id, userId, slot: { $exists: true } };
    const { matchedCount } = await this.#keys.updateOne(filter, { $set: { digest, prefix } });
    return matchedCount === 1;
  }

  #ensureIndexes(): Promise<unknown> {
    this.#indexes ??= Promise.all([
      this.#keys.createIndex({ digest: 1 }, { unique: true }),
      this.#keys.createIndex({ slot: 1 }, { unique: true, sparse: true }),
    ]).catch((error: unknown) => {
      this.#indexes = undefined;
      throw error;
    });
    return this.#indexes;
  }
}

const slotsOf = (userId: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${userId}:${n}`);
