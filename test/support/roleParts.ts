// The parts that the composition root gives to a role (src/shared/deployment/role.ts), as tests give them: real stores of the
// test, real time, no tracing, and metrics of their own.
import { Registry } from 'prom-client';
import type { RoleParts } from '../../src/shared/deployment/role.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { noTracing } from '../../src/shared/tracing/tracing.ts';
import { newestFormats } from './formats.ts';

type Given = Pick<RoleParts, 'config' | 'redis' | 'mongo'> & Partial<RoleParts>;

/** @param given.now also real time, unless `realNow` is given; connections go where REDIS_URL of the configuration says */
export function roleParts(given: Given): RoleParts {
  const { config, log = createLogger({ level: 'silent', role: 'test' }), now = Date.now } = given;
  return {
    log,
    now,
    realNow: now,
    subscriberFactory: (name = 'subscriber', options = {}) => connectRedis({ url: config.REDIS_URL, name, log, ...options }),
    formats: newestFormats,
    registry: new Registry(),
    tracing: noTracing,
    ...given,
  };
}
