// A lane collects the work that may go together in one script call, for scripts that take the work of many shards at once.
import type { Redis } from './redis.ts';

/** Names the shards whose keys one call may touch: in a cluster those of one slot, on a single Redis all. */
export const scriptLaneOf = (redis: Redis, shard: number): number => (redis.isCluster ? shard : 0);
