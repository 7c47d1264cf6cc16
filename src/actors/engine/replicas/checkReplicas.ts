// Whether Redis has the replicas that REDIS_MIN_REPLICAS asks for: said when a pod starts, because without them no order is answered.
import type { Config } from '../../../shared/config.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { redisAddress } from '../../../shared/redis/redisAddress.ts';

/** Of an answer to CLUSTER SLOTS: first slot, last slot, the master, then its replicas that live. */
type SlotRange = readonly [first: number, last: number, ...nodes: unknown[]];

/**
 * Logs when there are too few. A cluster, and a master that Sentinels name, may have them again soon; commits wait for them.
 * @throws Error when Redis is one server without any: the setting is a mistake
 */
export async function checkReplicas(
  redis: Redis,
  { REDIS_MIN_REPLICAS: wanted, REDIS_URL }: Pick<Config, 'REDIS_MIN_REPLICAS' | 'REDIS_URL'>,
  log: Logger,
): Promise<void> {
  if (wanted === 0) return;
  const replicas = await fewestReplicas(redis);
  if (replicas >= wanted) return;
  const { kind } = redisAddress(REDIS_URL);
  if (replicas === 0 && (kind === 'server' || kind === 'socket')) {
    throw new Error(`REDIS_MIN_REPLICAS is ${wanted}, and Redis has no replica: no order would ever be answered.`);
  }
  log.error({ wanted, replicas }, 'Redis has fewer replicas than REDIS_MIN_REPLICAS: no order is answered until they are there');
}

/** Of any master. */
async function fewestReplicas(redis: Redis): Promise<number> {
  if (redis.isCluster) {
    const ranges = (await redis.cluster('SLOTS')) as readonly SlotRange[];
    return Math.min(...ranges.map(({ length }) => length - 3));
  }
  const [, connected = '0'] = /connected_slaves:(\d+)/.exec(await redis.info('replication')) ?? [];
  return Number(connected);
}
