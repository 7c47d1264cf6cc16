// Whose an API key is, answered from memory. A key costs a MongoDB query when a node first sees it, and none on the
// hot path after that. Every change to a user's keys or plan is announced to all nodes (userChanges.ts), so a revoked
// key stops everywhere within a second.
import { hash } from 'node:crypto';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { type ApiKeyDocument, isOfEpoch, type KeyStore } from '../../shared/mongo/keyStore.ts';
import type { SessionStore } from '../../shared/mongo/sessionStore.ts';
import type { User, UserStore } from '../../shared/mongo/userStore.ts';
import { apiKeyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/waiting.ts';
import type { SessionLifeConfig } from './accessTokens.ts';
import { type KeyRecord, type KnownKey, KnownKeys, ownerRecord } from './keyRecord.ts';
import type { SessionUsage } from './lastUses.ts';
import { createSeldomLog, type SeldomLog } from './limits/seldomLog.ts';
import { TokenOwners } from './tokenOwners.ts';
import { Announcements, ChangesSeen, type UserCache, UserChanges } from './userChanges.ts';

/** A record in use is read again in the background after this, ms, in case a change message was lost. */
const REFRESH_AFTER_MS = 60_000;
/** How long MongoDB, and then Redis, may take to look up a key, ms. */
const LOOK_UP_MS_MAX = 1500;
/** While MongoDB does not answer, copies in Redis are asked first for so long, ms: nobody waits for MongoDB then. */
const COPIES_FIRST_MS = 5000;
/** How long the copy in Redis outlives its last look-up, seconds. It is asked only while MongoDB is away. */
const COPY_TTL_SECONDS = 7 * 86_400;

const KEY_FORM = /^pe_[0-9A-Za-z]{24,64}$/;

export interface CredentialsParts {
  readonly config: SessionLifeConfig;
  readonly redis: Redis;
  readonly keys: KeyStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly sessionUsage: SessionUsage;
  readonly log: Logger;
  readonly now: () => number;
}

/** SHA-256 of a key, hex: the only form in which a key is kept anywhere. */
export const digestOf = (key: string): string => hash('sha256', key);

export class Credentials implements UserCache {
  readonly #parts: CredentialsParts;
  readonly #log: SeldomLog;
  readonly #known = new KnownKeys<KeyRecord>();
  readonly #looking = new Map<string, Promise<KeyRecord | undefined>>();
  readonly #changes = new ChangesSeen();
  #copiesFirstUntilMs = 0;
  readonly #following: UserChanges;
  readonly #announcements: Announcements;
  readonly #caches: UserCache[];
  /** The owners of access tokens. */
  readonly tokenOwners: TokenOwners;

  constructor(parts: CredentialsParts) {
    this.#parts = parts;
    this.#log = createSeldomLog(parts.log);
    this.tokenOwners = new TokenOwners(parts);
    this.#caches = [this, this.tokenOwners];
    this.#following = new UserChanges(parts, this.#caches);
    this.#announcements = new Announcements(parts);
  }

  /** Begins to follow changes; resolves when the first read is done. */
  start(): Promise<void> {
    return this.#following.start();
  }

  stop(): void {
    this.#following.stop();
    this.#announcements.stop();
  }

  /** The record of a key that this node has cached. Costs a hash and a map look-up. */
  findCached(key: string): KeyRecord | undefined {
    if (!KEY_FORM.test(key)) return undefined;
    const digest = digestOf(key);
    const known = this.#known.get(digest);
    if (known === undefined) return undefined;
    if (this.#parts.now() >= known.refreshAtMs) this.#refresh(digest, known);
    return known.record;
  }

  /**
   * The record of a key that `findCached` does not know.
   * @returns undefined for a key that does not exist or is revoked
   * @throws {RequestError} 503 when no store can tell
   */
  async lookUp(key: string): Promise<KeyRecord | undefined> {
    if (!KEY_FORM.test(key)) return undefined;
    return this.#load(digestOf(key));
  }

  /**
   * The record of a known key as the store has it now.
   * @returns undefined when the key is revoked or its user gone
   * @throws when the store is away
   */
  async readAgain({ caller: { userId, keyId } }: KeyRecord): Promise<KeyRecord | undefined> {
    const { keys, users } = this.#parts;
    const [active, user] = await withTimeout(
      LOOK_UP_MS_MAX,
      'looking a key up',
      Promise.all([keys.listActive(userId), users.findById(userId)]),
    );
    const key = active.find(({ _id }) => _id === keyId);
    return user && key && isOfEpoch(key, user) ? toRecord(user, key) : undefined;
  }

  /** Adds another cache that is told of changes. */
  addCache(cache: UserCache): void {
    this.#caches.push(cache);
  }

  /**
   * Makes every node, this one at once, forget what it cached of a user. Call it after MongoDB has changed; it never throws, for
   * the change has happened.
   */
  announceChange(userId: string, digests: readonly string[]): Promise<void> {
    for (const one of this.#caches) one.forget(userId);
    return this.#announcements.announce(userId, digests);
  }

  /** The same, and resolves when the sockets of this node have the records of now: what comes after it meets the change. */
  async applyChange(userId: string, digests: readonly string[]): Promise<void> {
    await this.announceChange(userId, digests);
    await Promise.all(this.#caches.map((one) => one.readNow?.(userId)));
  }

  #load(digest: string): Promise<KeyRecord | undefined> {
    let looking = this.#looking.get(digest);
    if (looking === undefined) {
      looking = this.#loadAndKeep(digest).finally(() => this.#looking.delete(digest));
      this.#looking.set(digest, looking);
    }
    return looking;
  }

  /** A record that was read while its user changed is read again. */
  async #loadAndKeep(digest: string): Promise<KeyRecord | undefined> {
    const changesBefore = this.#changes.count;
    const record = await this.#readStores(digest);
    if (record === undefined) this.#known.delete(digest);
    else if (this.#changes.hasChanged(record.caller.userId, changesBefore)) return this.#loadAndKeep(digest);
    else this.#known.set(digest, { record, refreshAtMs: this.#parts.now() + REFRESH_AFTER_MS });
    return record;
  }

  /** MongoDB is the truth. While it is away the copy in Redis answers, so that trading goes on at a node just started. */
  async #readStores(digest: string): Promise<KeyRecord | undefined> {
    const { redis, now } = this.#parts;
    if (now() < this.#copiesFirstUntilMs) {
      const copy = await this.#readCopy(digest);
      if (copy !== undefined) return copy;
    }
    let found: KeyRecord | undefined;
    try {
      found = await withTimeout(LOOK_UP_MS_MAX, 'looking a key up', this.#readMongo(digest));
    } catch (error) {
      this.#log.warn('look-up', { err: error }, 'a key is looked up in Redis, for MongoDB does not answer');
      this.#copiesFirstUntilMs = now() + COPIES_FIRST_MS;
      const copy = await this.#readCopy(digest);
      if (copy !== undefined) return copy;
      throw new RequestError(503, 'store_unavailable', 'Keys cannot be checked at the moment.', { 'Retry-After': '1' });
    }
    const copied = found
      ? redis.set(apiKeyKeys.record(digest), JSON.stringify(found), 'EX', COPY_TTL_SECONDS)
      : redis.del(apiKeyKeys.record(digest));
    copied.catch((error: Error) => this.#log.warn('copy', { reason: error.message }, 'a key could not be copied to Redis'));
    return found;
  }

  async #readCopy(digest: string): Promise<KeyRecord | undefined> {
    const copy = this.#parts.redis.get(apiKeyKeys.record(digest));
    const json = await withTimeout(LOOK_UP_MS_MAX, 'looking a key up', copy);
    return json === null ? undefined : (JSON.parse(json) as KeyRecord);
  }

  async #readMongo(digest: string): Promise<KeyRecord | undefined> {
    const { keys, users } = this.#parts;
    const key = await keys.findActive(digest);
    const user = key && (await users.findById(key.userId));
    if (!key || !user || !isOfEpoch(key, user)) return undefined;
    return toRecord(user, key);
  }

  /** The known record serves on; only one look-up is under way, and a store that is away is asked again later. */
  #refresh(digest: string, known: KnownKey<KeyRecord>): void {
    this.#known.set(digest, { ...known, refreshAtMs: this.#parts.now() + REFRESH_AFTER_MS });
    this.#load(digest).catch((error: Error) =>
      this.#log.warn('refresh', { reason: error.message }, 'a key could not be checked again'),
    );
  }

  forget(userId: string): void {
    this.#changes.note(userId);
    const digests = this.#known.deleteAllOf(userId);
    if (digests.length > 0) this.#forgetCopies(digests);
  }

  forgetAll(): void {
    this.#changes.noteAll();
    this.#known.clear();
  }

  /** A look-up of this node that began before the change may have written them after the change had removed them. */
  #forgetCopies(digests: readonly string[]): void {
    this.#parts.redis
      .del(...digests.map(apiKeyKeys.record))
      .catch((error: Error) => this.#log.warn('forget', { reason: error.message }, 'copies of keys in Redis are left to expire'));
  }
}

function toRecord(user: User, key: ApiKeyDocument): KeyRecord {
  const { _id: keyId, account, scopes, expiresAt, addresses, rotatedAt, lab, trade } = key;
  const owner = ownerRecord(user, keyId, account);
  return {
    ...owner,
    ...(trade && { caller: { ...owner.caller, guard: { keyId, ...trade } } }),
    ...(scopes && { scopes }),
    ...(addresses && { addresses }),
    ...(expiresAt && { expiresAtMs: expiresAt.getTime() }),
    ...(rotatedAt && { rotatedAtMs: rotatedAt.getTime() }),
    ...(lab && { lab }),
  };
}
