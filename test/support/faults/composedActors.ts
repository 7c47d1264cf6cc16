// The role `actors` as a test composes it: the real role in a process of its own, with rules of the test.

import type { Rules } from '../../../src/actors/core/rules.ts';
import { startActors } from '../../../src/actors/role.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectMongo } from '../../../src/shared/mongo/mongo.ts';
import { connectRedis } from '../../../src/shared/redis/redis.ts';
import { roleParts } from '../roleParts.ts';

export async function startComposedActors(rules: Rules): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger({ level: config.LOG_LEVEL, role: 'actors' });
  const redis = connectRedis({ url: config.REDIS_URL, name: `${config.NODE_ID}:connection`, log });
  const mongo = connectMongo({ url: config.MONGO_URL, database: config.MONGO_DATABASE, timeoutMs: config.MONGO_TIMEOUT_MS });
  await startActors(roleParts({ config, log, redis, mongo }), rules);
}
