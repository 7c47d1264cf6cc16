// A node's part of counting in windows, with every clock given: it spends what it has in advance, or asks Redis. And a clock for
// Redis's part, as a key.
import type { Charge } from '../../src/api/access/limits/charge.ts';
import { NOTHING, PrefetchedQuota } from '../../src/api/access/limits/prefetchedQuota.ts';
import { type ChargedRequests, countingBy, type Told, type WindowSizes } from '../../src/api/access/limits/subjectWindows.ts';
import type { Redis } from '../../src/shared/redis/redis.ts';

export const SIZES: WindowSizes = { windowMs: 60_000, bucketMs: 1000, holdMs: 5000 };

const CLOCK = 'clock';
const count = countingBy(`(function()
  local ms = tonumber(redis.call('GET', '${CLOCK}'))
  return {math.floor(ms / 1000), ms % 1000 * 1000}
end)()`);

/** Counts at a time by Redis's clock. */
export async function countAt(redis: Redis, redisMs: number, asked: readonly ChargedRequests[]): Promise<readonly Told[]> {
  await redis.set(CLOCK, redisMs);
  return count(redis, SIZES, asked);
}

export const askedOnce = (...charges: readonly Charge[]): ChargedRequests => ({
  charges,
  requests: 1,
  isForced: false,
  inAdvance: charges.map(() => NOTHING),
});

export class WindowNode {
  readonly #redis: Redis;
  readonly #quota = new PrefetchedQuota(SIZES.holdMs);
  /** Calls that Redis got. */
  calls = 0;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * One request. @param nowMs by the node's clock when it comes; @param redisMs by Redis's when it is counted there
   * @returns whether it is granted, from what was taken in advance perhaps; and when there is room if not, ms from then
   */
  async ask(
    charges: readonly Charge[],
    nowMs: number,
    redisMs: number,
  ): Promise<{ isGranted: boolean; isSpent: boolean; roomInMs: number }> {
    const spent = this.#quota.spend(charges, { steadyMs: nowMs, nowMs });
    if (spent !== undefined) return { isGranted: true, isSpent: true, roomInMs: 0 };
    this.calls += 1;
    const inAdvance = charges.map((charge) => this.#quota.turnOver(charge, 1, nowMs));
    const asked: ChargedRequests = { charges, requests: 1, isForced: false, inAdvance };
    const [told] = await countAt(this.#redis, redisMs, [asked]);
    if (told === undefined) throw new Error('Redis has told nothing');
    let roomInMs = 0;
    charges.forEach(({ subject, cap, cost }, i) => {
      const { used = 0, advance = 0, leavesInMs = 0 } = told.windows[i] ?? {};
      const taken = { cap, left: advance, bucket: told.bucket, endsAtMs: nowMs + SIZES.holdMs, resetMs: 0 };
      this.#quota.take(subject, { ...taken, used: used - advance });
      if (told.granted === 0 && used + cost > cap) roomInMs = Math.max(roomInMs, leavesInMs);
    });
    return { isGranted: told.granted === 1, isSpent: false, roomInMs };
  }
}
