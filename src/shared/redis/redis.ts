// Connections to Redis: one for commands, and one of its own for each part that subscribes. ioredis resends commands
// in flight after a broken connection, so every script of ours may run twice. A connection that dies silently is
// opened anew within seconds.
import { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';
import { socketAddress } from './socketAddress.ts';
import { BLOCKING_LOOKS_MAX, watchConnection } from './watchConnection.ts';

export type { Redis };

/**
 * Opens a connection. Commands issued while Redis is away wait in its queue; `maxRetriesPerRequest: null` keeps them there.
 * @param options.sendsAtOnce commands leave when they are issued, as scripts always do; else those of a turn of the event loop
 *   leave together, and wait for the answers to those before them
 */
export function connectRedis(options: { url: string; name: string; log: Logger; sendsAtOnce?: boolean }): Redis {
  const { url, name, log, sendsAtOnce = false } = options;
  const settings = {
    connectionName: name,
    enableAutoPipelining: !sendsAtOnce,
    // A script's caller has gathered what one call can take.
    autoPipeliningIgnoredCommands: ['evalsha', 'eval'],
    maxRetriesPerRequest: null,
    retryStrategy: (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 1000),
  };
  const socket = socketAddress(url);
  const redis = socket ? new Redis({ ...socket, ...settings }) : new Redis(url, settings);
  const onError = (error: Error): void => {
    log.warn({ connection: name, reason: error.message }, 'redis connection failed');
  };
  redis.on('error', onError);
  redis.on('ready', () => log.debug({ connection: name }, 'redis connection ready'));
  watchConnection(redis);
  watchDuplicates(redis, onError);
  return redis;
}

/** BullMQ blocks on a connection that it makes of the one it was given: that one can die silently too. */
function watchDuplicates(redis: Redis, onError: (error: Error) => void): void {
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => {
    const copy = duplicate(override);
    copy.on('error', onError);
    watchConnection(copy, BLOCKING_LOOKS_MAX);
    return copy;
  };
}
