// A node of a Redis Cluster that is given like a server of its own answers some commands and refuses others: a process would half work.
import type { Redis } from '../redis/redis.ts';
import { WrongDeployment } from './deploymentRecord.ts';

/** @throws {WrongDeployment} when the connection is to one server, and that is a node of a cluster */
export async function refuseClusterNode(redis: Redis): Promise<void> {
  if (redis.isCluster || !/cluster_enabled:1/.test(await redis.info('cluster'))) return;
  throw new WrongDeployment(
    'REDIS_URL names a node of a Redis Cluster like a server of its own. Write redis+cluster://host:port, or several of its nodes with commas between them.',
  );
}
