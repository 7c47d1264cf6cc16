// What is known of mirrors outside of their accounts: in MongoDB the mirrors that there are to be; in Redis which node follows their
// addresses, and how the venue is heard about each of them. The account itself knows how far it is.
import type { Collection } from 'mongodb';
import { DAY_MS } from '../../shared/domain/units.ts';
import { collections, durable, isDuplicate, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { marketKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { Script } from '../../shared/redis/script.ts';

export interface MirrorDocument {
  /** `mir_…` */
  readonly _id: string;
  /** Place in the service, from 0 on; unique. */
  readonly slot: number;
  /** `<user>:<number>`; unique. */
  readonly place: string;
  /** Unique: an account mirrors one address. */
  readonly account: string;
  readonly userId: string;
  /** Address at the venue, lower case. */
  readonly source: string;
  readonly scale: string;
  /** The venue's time from which on fills count, and the copies that the import made: numbers here and there. */
  readonly sinceMs: number;
  readonly orders: readonly (readonly [oid: number, sourceOid: number])[];
  /** The account has begun to follow. */
  readonly hasBegun: boolean;
  /** It ends, and not by a wish of its user; absent: it does not. */
  readonly ending?: { readonly why: string; readonly at: Date };
  readonly createdAt: Date;
  readonly schema: 1;
}

/** Requests that meet at one place try again this often. */
const TRIES = 20;

/**
 * The mirrors that there are to be: the node that leads reads them and follows each address. Places are unique, so requests at once make no
 * more mirrors than the service, and a user's plan, allow.
 */
export class MirrorStore {
  readonly #mirrors: Collection<MirrorDocument>;
  #indexes: Promise<unknown> | undefined;

  constructor(mongo: MongoConnection) {
    this.#mirrors = mongo.db.collection<MirrorDocument>(collections.mirrors, durable);
  }

  /** @returns what there is no room in; undefined when it was added, or the account has one */
  async add(
    mirror: Omit<MirrorDocument, 'slot' | 'place'>,
    { max, maxOfUser }: { readonly max: number; readonly maxOfUser: number },
  ): Promise<'service' | 'plan' | undefined> {
    this.#indexes ??= Promise.all(
      ['slot', 'place', 'account'].map((field) => this.#mirrors.createIndex({ [field]: 1 }, { unique: true })),
    );
    await this.#indexes;
    for (let tries = 0; tries < TRIES; tries++) {
      const all = await this.all();
      if (all.some(({ account }) => account === mirror.account)) return undefined;
      const slot = firstFree(max, (at) => all.every((each) => each.slot !== at));
      const number = firstFree(maxOfUser, (at) => all.every(({ place }) => place !== `${mirror.userId}:${at}`));
      if (number === undefined) return 'plan';
      if (slot === undefined) return 'service';
      try {
        await this.#mirrors.insertOne({ ...mirror, slot, place: `${mirror.userId}:${number}` });
        return undefined;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    }
    return 'service';
  }

  all(): Promise<MirrorDocument[]> {
    return this.#mirrors.find().toArray();
  }

  ofAccount(account: string): Promise<MirrorDocument | null> {
    return this.#mirrors.findOne({ account });
  }

  async noteBegun(id: string): Promise<void> {
    await this.#mirrors.updateOne({ _id: id }, { $set: { hasBegun: true } });
  }

  /** @returns the end that was noted first; undefined when there is no such mirror any more */
  async noteEnding(id: string, ending: NonNullable<MirrorDocument['ending']>): Promise<MirrorDocument['ending']> {
    await this.#mirrors.updateOne({ _id: id, ending: { $exists: false } }, { $set: { ending } });
    return (await this.#mirrors.findOne({ _id: id }))?.ending;
  }

  async remove(id: string): Promise<void> {
    await this.#mirrors.deleteOne({ _id: id });
  }
}

function firstFree(count: number, isFree: (at: number) => boolean): number | undefined {
  for (let at = 0; at < count; at++) if (isFree(at)) return at;
  return undefined;
}

const takeScript = new Script(
  'leadMirrors',
  `
-- KEYS  lease, highest term so far.
-- ARGV  token, ttl ms, term of this process or 0.
-- Takes or renews the lease. Answers the term, or 0 when another process has the lease.
-- Atomic, so that no two processes have it, nor one term. A term is at least Redis's clock: it rises though Redis has lost the last.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
local term = tonumber(ARGV[3])
if not holder or term == 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  term = math.max(now, tonumber(redis.call('GET', KEYS[2]) or 0) + 1)
  redis.call('SET', KEYS[2], string.format('%.0f', term))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return term
`,
);

const releaseScript = new Script(
  'leaveMirrors',
  `
-- KEYS  lease.
-- ARGV  token.
-- Gives the lease back. Atomic, so that it never deletes another's.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
);

/**
 * Which API node follows the mirrored addresses: the node that has the lease. With the lease comes a number that is higher than all before,
 * by which accounts know the commands of an earlier node.
 */
export class MirrorLease {
  readonly #redis: Redis;
  readonly #token: string;
  readonly #ttlMs: number;
  #term = 0;

  constructor({ redis, token, ttlMs }: { redis: Redis; token: string; ttlMs: number }) {
    this.#redis = redis;
    this.#token = token;
    this.#ttlMs = ttlMs;
  }

  /** @returns the term under which this process leads; undefined while another does */
  async take(): Promise<number | undefined> {
    const keys = [marketKeys.mirrorLease, marketKeys.mirrorTerm];
    this.#term = Number(await takeScript.run(this.#redis, keys, [this.#token, this.#ttlMs, this.#term]));
    return this.#term === 0 ? undefined : this.#term;
  }

  async release(): Promise<void> {
    await releaseScript.run(this.#redis, [marketKeys.mirrorLease], [this.#token]);
  }
}

/** How long it is remembered when the venue was last heard. */
const TTL_MS = DAY_MS;

/**
 * How the venue is heard about the address of a mirror, as the node that follows it last wrote: so each node can tell. It holds only while
 * the lease is still of the term in which it was written: what a node that died, or lost the lease, has left says nothing any more.
 */
export interface Hearing {
  /** Since when the connection is open, ms; null = it is not. */
  readonly connectedSinceMs: number | null;
  /** When the venue last said anything on it, pongs included, ms; null = never. */
  readonly heardMs: number | null;
  /** What was missed before the connection opened has been made up for. */
  readonly isCaughtUp: boolean;
}

export const UNHEARD: Hearing = { connectedSinceMs: null, heardMs: null, isCaughtUp: false };

type Written = Hearing & { readonly term: number };

/** @param id of the mirror */
export async function writeHearing(redis: Redis, id: string, written: Written): Promise<void> {
  await redis.set(marketKeys.mirrorHearing(id), JSON.stringify(written), 'PX', TTL_MS);
}

export async function readHearing(redis: Redis, id: string): Promise<Hearing> {
  const [holder, term, text] = await redis.mget(marketKeys.mirrorLease, marketKeys.mirrorTerm, marketKeys.mirrorHearing(id));
  if (typeof text !== 'string') return UNHEARD;
  const { term: writtenIn, ...hearing } = JSON.parse(text) as Written;
  const isOfLeader = typeof holder === 'string' && Number(term) === writtenIn;
  return isOfLeader ? hearing : { ...UNHEARD, heardMs: hearing.heardMs };
}
