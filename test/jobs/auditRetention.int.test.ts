import { expect } from 'chai';
import { auditRetention } from '../../src/jobs/auditRetention.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { AuditLog } from '../../src/shared/mongo/auditLog.ts';
import { connectMongo } from '../../src/shared/mongo/mongo.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from '../support/formats.ts';
import { startMongo, startRedis } from '../support/stores.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_795_000_000_000;

describe('audit-retention: acts are kept for AUDIT_RETENTION_DAYS', () => {
  it('removes what is older, twice as well as once', async () => {
    const [redisStore, mongoStore] = [await startRedis(), await startMongo({ memory: true })];
    const log = createLogger({ level: 'silent', role: 'test' });
    const redis = connectRedis({ url: redisStore.url, name: 'test', log });
    const mongo = connectMongo({ url: mongoStore.url, database: 'test', timeoutMs: 2000 });
    const config = readConfig({ AUDIT_RETENTION_DAYS: '10' });
    const audit = new AuditLog(mongo);
    for (const ageDays of [11, 10, 9]) {
      const timeMs = NOW_MS - ageDays * DAY_MS;
      await audit.write({ userId: 'user_a', action: 'login', outcome: 'ok', actor: 'user', address: null, timeMs });
    }
    const parts = { config, log, redis, mongo, formats: newestFormats, now: () => NOW_MS };
    for (let run = 0; run < 2; run++) {
      await auditRetention.run(parts, NOW_MS);
      const kept = await audit.page('user_a', { limit: 10 });
      expect(kept.map(({ at }) => (NOW_MS - at.getTime()) / DAY_MS)).to.deep.equal([9, 10]);
    }
    redis.disconnect();
    await mongo.close();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });
});
