// Says when a pod's accounts have done what is due and have seen the market. The control calls of tests wait for this notice
// (src/shared/deployment/settledProcesses.ts).
import { setTimeout as pause } from 'node:timers/promises';
import type { SettledRole } from '../../../shared/deployment/role.ts';
import type { MarketPosition } from '../../../shared/redis/feedFollower.ts';
import type { MarketFeed } from '../shard/marketFeed.ts';
import type { Shard } from '../shard/shard.ts';

const LOOK_EVERY_MS = 2;
/** Longest that one question is looked at, ms: it is asked again. A bot that never rests leaves moments without work between its orders. */
const LOOK_MS_MAX = 10_000;

export class Settling {
  readonly #parts: { readonly shards: () => readonly Shard[]; readonly feed: MarketFeed };

  constructor(parts: { readonly shards: () => readonly Shard[]; readonly feed: MarketFeed }) {
    this.#parts = parts;
  }

  /** The clock was set ahead. */
  onClock(): void {
    for (const shard of this.#parts.shards()) shard.onClock();
  }

  /**
   * Resolves when each shard of the pod has been seen without work since the market's message came; after a while with those that have.
   * @param seen the message of the market that has to have come
   */
  async settled(seen: MarketPosition | undefined): Promise<SettledRole> {
    const { shards, feed } = this.#parts;
    const untilMs = performance.now() + LOOK_MS_MAX;
    const dues = new Map<Shard, number>();
    for (;;) {
      const owned = shards();
      if (seen === undefined || feed.hasSeen(seen)) {
        for (const shard of owned) {
          const { nextDueMs } = shard;
          if (nextDueMs !== undefined && !dues.has(shard)) dues.set(shard, nextDueMs);
        }
      }
      const settled = owned.filter((shard) => dues.has(shard));
      if (settled.length === owned.length || performance.now() >= untilMs) {
        const nextDueMs = Math.min(...settled.map((shard) => dues.get(shard) ?? Number.POSITIVE_INFINITY));
        return {
          shards: settled.map(({ shard }) => shard),
          nextDueMs: nextDueMs === Number.POSITIVE_INFINITY ? undefined : nextDueMs,
        };
      }
      await pause(LOOK_EVERY_MS);
    }
  }
}
