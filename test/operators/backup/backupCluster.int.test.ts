// A backup of one Redis goes into a Redis Cluster, and a backup of a cluster into one Redis.
import { join } from 'node:path';
import { expect } from 'chai';
import { readManifest } from '../../../src/operators/backup/manifest.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { raiseMongoRecord, raiseRedisRecord } from '../../../src/shared/deployment/deploymentRecord.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../../support/actorBench.ts';
import { type AdminStores, adminOn } from '../../support/backupStores.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redisCluster.ts';
import { makeDir, type Store, startMongo, startRedis } from '../../support/stores.ts';

const SHARDS = 4;

describe('admin: backup and restore between one Redis and a cluster', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let cluster: RedisCluster;
  let server: Store;
  const mongos: Store[] = [];
  const opened: AdminStores[] = [];
  const folder = makeDir('backups');

  before(async () => {
    [bench, cluster, server] = await Promise.all([
      ActorBench.start({ SHARDS: String(SHARDS) }),
      startRedisCluster(),
      startRedis(),
    ]);
    mongos.push(await startMongo({ memory: true }), await startMongo({ memory: true }));
    await raiseRedisRecord(bench.redis, { shards: SHARDS, formats: NEWEST_FORMAT });
    await raiseMongoRecord(bench.mongo, { shards: SHARDS, formats: NEWEST_FORMAT });
    const pod = await bench.startOnlyPod();
    const gateway = await bench.startGateway();
    for (let n = 1; n <= 8; n++) {
      await gateway.send(accountName(n), commands.open, { requestId: 'r' });
      await gateway.send(accountName(n), commands.place(), { requestId: 'r' });
    }
    await bench.stopPod(pod);
  });
  after(async () => {
    await Promise.all(opened.map((admin) => admin.close()));
    await bench.stop();
    await Promise.all([cluster.stop(), server.stop(), ...mongos.map((mongo) => mongo.stop())]);
  });

  const admin = (redisUrl: string, mongoUrl = ''): AdminStores => {
    const parts = adminOn({ redisUrl, mongoUrl, shards: SHARDS });
    opened.push(parts);
    return parts;
  };

  it('every account and every journal is the same after both ways', async () => {
    const source = admin(bench.redisStore.url, bench.mongoStore.url);
    const onCluster = admin(cluster.url, mongos[0]?.url);
    const onServer = admin(server.url, mongos[1]?.url);
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await runCommand(['backup', first], source);
    await runCommand(['restore', first], onCluster);
    await runCommand(['backup', second], onCluster);
    await runCommand(['restore', second], onServer);
    expect((await readManifest(second)).accounts).to.equal(8);
    for (let shard = 0; shard < SHARDS; shard++) {
      const journals = await Promise.all(
        [source, onCluster, onServer].map(({ redis }) => redis.xrange(shardKeys.journal(shard), '-', '+')),
      );
      expect(journals[1]).to.deep.equal(journals[0]);
      expect(journals[2]).to.deep.equal(journals[0]);
    }
    const again = await runCommand(['restore', first], onCluster).catch((error: Error) => error.message);
    expect(again).to.match(/^Redis is not empty/);
  });
});
