// Checks stores without a deployment record: those of a new deployment, or of one that a build without records began.
// Their content shows whether they fit the number of shards, and whether older builds may still have to read them.
import { NEWEST_FORMAT } from '../domain/formats.ts';
import { shardOf } from '../domain/shardOf.ts';
import { collections, type MongoConnection } from '../mongo/mongo.ts';
import { marketKeys, podKeys, shardKeys, workerKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { type DeploymentRecord, WrongDeployment } from './deploymentRecord.ts';

/** The most shards that a deployment can have (config.ts). */
const SHARDS_MAX = 100;
/** Accounts whose shard is looked at in MongoDB, and in each shard of Redis: with other numbers half of them are elsewhere. */
const ACCOUNTS_LOOKED_AT = 200;
const LIVE_LOOKED_AT = 20;

interface Stores {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
}

/** @throws {WrongDeployment} when the stores were begun with another number of shards */
export async function recordOfStores(stores: Stores, shards: number): Promise<DeploymentRecord> {
  const signs = [podKeys.pods, marketKeys.state, workerKeys.workers];
  const [begun, accounts, ...there] = await Promise.all([
    shardsBegun(stores),
    accountsSeen(stores),
    ...signs.map((key) => stores.redis.exists(key)),
  ]);
  const isElsewhere = ({ accountId, shard }: AccountSeen): boolean => shardOf(accountId, shards) !== shard;
  if (begun > shards || accounts.some(isElsewhere)) throw new WrongDeployment(refusal(shards, begun, accounts));
  const isFresh = begun === 0 && accounts.length === 0 && there.every((count) => count === 0);
  return { shards, formats: isFresh ? NEWEST_FORMAT : 1 };
}

interface AccountSeen {
  readonly accountId: string;
  readonly shard: number;
}

/** How many shards have ever been owned: the highest number and one. */
async function shardsBegun({ redis, mongo }: Stores): Promise<number> {
  const heads = Promise.all(Array.from({ length: SHARDS_MAX }, (_, shard) => redis.exists(shardKeys.head(shard))));
  const positions = mongo.db.collection<{ _id: number }>(collections.shards);
  const [highest] = await positions
    .find({}, { projection: { _id: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return Math.max((highest?._id ?? -1) + 1, (await heads).lastIndexOf(1) + 1);
}

async function accountsSeen({ redis, mongo }: Stores): Promise<AccountSeen[]> {
  const snapshots = mongo.db.collection<{ _id: string; shard: number }>(collections.accounts);
  const stored = await snapshots
    .find({}, { projection: { shard: 1 } })
    .limit(ACCOUNTS_LOOKED_AT)
    .toArray();
  const live = await Promise.all(
    Array.from({ length: SHARDS_MAX }, async (_, shard) => {
      const accountIds = await redis.srandmember(shardKeys.live(shard), LIVE_LOOKED_AT);
      return accountIds.map((accountId) => ({ accountId, shard }));
    }),
  );
  return [...stored.map(({ _id, shard }) => ({ accountId: _id, shard })), ...live.flat()];
}

function refusal(shards: number, begun: number, accounts: readonly AccountSeen[]): string {
  const fits = (count: number): boolean => accounts.every(({ accountId, shard }) => shardOf(accountId, count) === shard);
  const counts = Array.from({ length: SHARDS_MAX }, (_, index) => index + 1).filter((count) => count >= begun && fits(count));
  const advice = counts[0] === undefined ? 'start with the number that they were begun with' : `start with SHARDS=${counts[0]}`;
  return `SHARDS is ${shards}, but these stores were begun with another number: ${advice}, or with empty stores.`;
}
