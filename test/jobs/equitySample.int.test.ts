import { expect } from 'chai';
import { readShardCommand } from '../../src/actors/core/messages/shardCommand.ts';
import { equitySample } from '../../src/jobs/equitySample.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { connectMongo } from '../../src/shared/mongo/mongo.ts';
import { SHARD_MAILBOX, shardKeys } from '../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from '../support/formats.ts';
import { type Store, startRedis } from '../support/stores.ts';

const PERIOD_MS = 300_000;

describe('equity-sample: one command for each shard and period', () => {
  const log = createLogger({ level: 'silent', role: 'test' });
  let store: Store;
  let redis: Redis;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  it('twice, late and from two processes at once it writes one; while one waits, no other', async () => {
    const config = readConfig({ SHARDS: '3' });
    const mongo = connectMongo({ url: 'mongodb://127.0.0.1:1', database: 'none', timeoutMs: 100 });
    const job = equitySample(PERIOD_MS);
    const run = (periodMs: number): Promise<void> =>
      job.run({ config, log, redis, mongo, formats: newestFormats, now: Date.now }, periodMs);
    await Promise.all([run(2 * PERIOD_MS), run(2 * PERIOD_MS)]);
    await run(PERIOD_MS);
    await run(3 * PERIOD_MS);
    for (let shard = 0; shard < 3; shard++) {
      const waiting = await redis.xrange(shardKeys.commands(shard, SHARD_MAILBOX), '-', '+');
      expect(waiting.map(([, [, text]]) => readShardCommand(text ?? ''))).to.deep.equal([
        { type: 'sampleEquity', periodMs: 2 * PERIOD_MS },
      ]);
    }
    await mongo.close();
  });
});
