// What the other roles have written into Redis about themselves.
import { type PodStatus, parsePodStatus } from '../../actors/domain/messages/podStatus.ts';
import type { Config } from '../../shared/config.ts';
import { deploymentKeys, marketKeys, podKeys, shardKeys, workerKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';

export interface Deployment {
  readonly pods: readonly PodStatus[];
  readonly leases: readonly (string | null)[];
  readonly marketLease: string | null;
  /** Time of the last heartbeat, ms as text, by job process. */
  readonly workers: Readonly<Record<string, string>>;
  readonly longestJournal: number;
  /** The generation of stored forms that may be written. */
  readonly formats: number;
  /** What every process says of itself, by its name. */
  readonly processes: Readonly<Record<string, string>>;
}

/** Single commands, pipelined by the connection: in a cluster the keys lie on different nodes. */
export async function readDeployment(redis: Redis, { SHARDS }: Pick<Config, 'SHARDS'>): Promise<Deployment> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const [pods, leases, journals, marketLease, workers, formats, processes] = await Promise.all([
    redis.hgetall(podKeys.pods),
    Promise.all(shards.map((shard) => redis.get(shardKeys.lease(shard)))),
    Promise.all(shards.map((shard) => redis.xlen(shardKeys.journal(shard)))),
    redis.get(marketKeys.lease),
    redis.hgetall(workerKeys.workers),
    redis.hget(deploymentKeys.record, 'formats'),
    redis.hgetall(deploymentKeys.processes),
  ]);
  return {
    pods: Object.entries(pods).map(([podId, value]) => parsePodStatus(podId, value)),
    leases,
    marketLease,
    workers,
    longestJournal: Math.max(...journals),
    formats: Number(formats ?? 1),
    processes,
  };
}
