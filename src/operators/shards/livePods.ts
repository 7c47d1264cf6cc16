// The pods that run now: a pod that died stays in the record of heartbeats for a while.
import { type PodStatus, parsePodStatus } from '../../actors/core/messages/podStatus.ts';
import { redisTimeMs } from '../../shared/deployment/liveProcesses.ts';
import { podKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';

/**
 * @param ttlMs life of a lease: who is silent for longer does not count, as in the ranking
 * @returns without those that leave
 */
export async function livePods(redis: Redis, ttlMs: number): Promise<PodStatus[]> {
  const [said, nowMs] = await Promise.all([redis.hgetall(podKeys.pods), redisTimeMs(redis)]);
  const pods = Object.entries(said).map(([podId, value]) => parsePodStatus(podId, value));
  return pods.filter(({ leaving, atMs }) => !leaving && nowMs - atMs <= ttlMs);
}
