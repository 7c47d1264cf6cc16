// Tells every API node that a user's keys, plan or payment have changed. Each node reads one Redis stream four times
// a second and forgets what it cached of the user. Every process that changes a user in MongoDB announces it here.
// The same stream carries lines of text to the sockets of a user.

import type { Logger } from '../logger.ts';
import { apiKeyKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';

/** Changes kept in the stream: hours of them, while readers lag by a fraction of a second. */
const CHANGES_KEPT = 10_000;

/**
 * Call it after MongoDB has changed. Announcing a change twice does no harm.
 * @param change.digests of the user's keys, active and just revoked: their copies in Redis, kept for when MongoDB is away,
 *   are removed too
 */
export async function announceUserChange(
  redis: Redis,
  { userId, digests }: { userId: string; digests: readonly string[] },
): Promise<void> {
  await Promise.all([
    redis.xadd(apiKeyKeys.changes, 'MAXLEN', '~', CHANGES_KEPT, '*', 'user', userId),
    ...digests.map((digest) => redis.del(apiKeyKeys.record(digest))),
  ]);
}

/**
 * Sends a line of text to the sockets of a user that are subscribed to `notification`, at every node. Nothing depends on it:
 * while Redis is away the line is lost, and the log says so.
 */
export function notifyUser({ redis, log }: { redis: Redis; log: Logger }, userId: string, text: string): void {
  redis
    .xadd(apiKeyKeys.changes, 'MAXLEN', '~', CHANGES_KEPT, '*', 'user', userId, 'notice', text)
    .catch((error: unknown) => log.warn({ err: error, userId }, 'a notice to a user is lost'));
}
