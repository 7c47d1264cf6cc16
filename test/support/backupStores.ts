// Empty stores into which a test restores, and operators' commands on them.
import type { OperatorParts } from '../../src/operators/acts/operatorParts.ts';
import { createBilling } from '../../src/shared/billing/billing.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { connectMongo } from '../../src/shared/mongo/mongo.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from './formats.ts';

export interface AdminStores extends OperatorParts {
  close(): Promise<void>;
}

/** The parts of an operator's command. @param shards SHARDS */
export function adminOn({ redisUrl, mongoUrl, shards }: { redisUrl: string; mongoUrl: string; shards: number }): AdminStores {
  const log = createLogger({ level: 'silent', role: 'test' });
  const redis = connectRedis({ url: redisUrl, name: 'admin', log });
  const mongo = connectMongo({ url: mongoUrl, database: 'test', timeoutMs: 2000 });
  const config = readConfig({ SHARDS: String(shards), REDIS_URL: redisUrl, MONGO_URL: mongoUrl, MONGO_DATABASE: 'test' });
  const billing = createBilling({ config, log, now: Date.now, redis, mongo, formats: newestFormats });
  const close = async (): Promise<void> => {
    redis.disconnect();
    await mongo.close();
  };
  return { billing, redis, mongo, close };
}
