// Writes the golden backup of the version that this build writes, once: `node --import tsx test/formats/writeGoldenBackup.ts`.
// Existing backups stay as they are: operators have such backups on their disks.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/operators/commands.ts';
import { raiseMongoRecord, raiseRedisRecord } from '../../src/shared/deployment/deploymentRecord.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { marketKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { adminOn } from '../support/backupStores.ts';
import { newestFormats } from '../support/formats.ts';
import { until } from '../support/until.ts';

const folder = fileURLToPath(new URL('../fixtures/backups/1', import.meta.url));
if (existsSync(folder)) throw new Error(`${folder} is there: a golden backup never changes.`);

const SHARDS = 2;
const [ada, bea, cyd] = [1, 2, 3].map(accountName) as [string, string, string];
const bench = await ActorBench.start({
  SHARDS: String(SHARDS),
  HISTORY_DELAY_MS: '100',
  JOURNAL_LAG_MS: '600000',
  IDEMPOTENCY_TTL_MS: '3000000000000',
});
const admin = adminOn({ redisUrl: bench.redisStore.url, mongoUrl: bench.mongoStore.url, shards: SHARDS });
const { redis, mongo } = admin;
await raiseRedisRecord(redis, { shards: SHARDS, formats: NEWEST_FORMAT });
await raiseMongoRecord(mongo, { shards: SHARDS, formats: NEWEST_FORMAT });
await bench.startOnlyPod({ formats: newestFormats });
const gateway = await bench.startGateway();
for (const account of [ada, bea]) {
  for (const command of [commands.open, commands.place(), commands.rest('50000'), commands.place({ side: 'sell' })]) {
    await gateway.send(account, command, { requestId: 'r' });
  }
}
// Remembered for a hundred years.
await gateway.send(bea, commands.place(), { requestId: 'r', idempotency: { key: 'golden', bodyDigest: 'aa' } });
const snapshots = mongo.db.collection(collections.accounts);
await until(async () => (await snapshots.countDocuments()) === 2);
await gateway.send(ada, commands.place({ size: '0.002' }), { requestId: 'r' }); // after the snapshot
await gateway.send(cyd, commands.open, { requestId: 'r' }); // without one, unless the history writer is quicker
const shard = shardOf(ada, SHARDS);
const [first] = await redis.xrange(shardKeys.journal(shard), '-', '+', 'COUNT', 1);
const entry = JSON.stringify((JSON.parse(first?.[1].at(-1) ?? '[]') as unknown[])[0]);
await redis.hset(shardKeys.setAside(shard), ada, `1 1 ${entry.length}`);
await redis.rpush(shardKeys.entriesSetAside(shard, ada), `1 ${entry}`);
await redis.hset(shardKeys.quarantine(shard), ada, JSON.stringify({ reason: 'a rule threw', atMs: 1_795_000_000_000, seq: 5 }));
await redis.xadd(shardKeys.dead(0), '1795000000000-0', 'account', bea, 'command', '{}', 'reason', 'r', 't', '1795000000000');
await redis.hset(marketKeys.state, 'funding:BTC', '{"type":"funding","coin":"BTC","sinceMs":1794999600000,"hours":[],"v":1}');
await mongo.db
  .collection(collections.users)
  .insertOne({ email: 'ada@example.com', address: ada, createdAt: new Date(1_795_000_000_000) });
await mongo.db
  .collection<{ _id: string }>(collections.settings)
  .insertOne({ _id: 'jwtSecret', ...{ value: 'golden', schema: 1 } });

await runCommand(['backup', folder], admin);
await admin.close();
await bench.stop();
