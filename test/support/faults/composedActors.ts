// The role `actors` as a test composes it: the real role in a process of its own, with rules of the test.

import { Registry } from 'prom-client';
import type { Rules } from '../../../src/actors/core/rules.ts';
import { startActors } from '../../../src/actors/role.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectMongo } from '../../../src/shared/mongo/mongo.ts';
import { connectRedis } from '../../../src/shared/redis/redis.ts';
import { noTracing } from '../../../src/shared/tracing/tracing.ts';
import { newestFormats } from '../formats.ts';

export async function startComposedActors(rules: Rules): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger({ level: config.LOG_LEVEL, role: 'actors' });
  const connect = (name = 'connection') => connectRedis({ url: config.REDIS_URL, name: `${config.NODE_ID}:${name}`, log });
  const redis = connect();
  const mongo = connectMongo({ url: config.MONGO_URL, database: config.MONGO_DATABASE, timeoutMs: config.MONGO_TIMEOUT_MS });
  await startActors(
    {
      config,
      log,
      redis,
      subscriberFactory: connect,
      mongo,
      formats: newestFormats,
      now: Date.now,
      realNow: Date.now,
      registry: new Registry(),
      tracing: noTracing,
    },
    rules,
  );
}
