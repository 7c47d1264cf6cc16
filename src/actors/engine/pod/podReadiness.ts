// Whether a pod is ready, and whether it has settled. A pod is ready when it has what it should have:
// its heartbeats reach Redis, the other pods trust it, and every shard that is due to it is
// its own and recovered. So a roll-out ends the next pod only when this one carries its share.

import { setTimeout as pause } from 'node:timers/promises';
import type { SettledRole } from '../../../shared/deployment/role.ts';
import type { MarketPosition } from '../../../shared/redis/feedFollower.ts';
import { type AblePods, isDueTo, type ShardStatus } from '../../core/messages/podStatus.ts';
import type { MarketFeed } from '../shard/marketFeed.ts';
import type { Shard } from '../shard/shard.ts';

const NOT_TRUSTED = 'No shard is due to this pod yet: it is new, or the deployment writes newer forms than it reads';

/** The pod, with the shards that it owns now. */
interface OwningPod {
  readonly id: string;
  readonly shards: readonly { readonly status: ShardStatus }[];
}

export class PodReadiness {
  readonly #pod: OwningPod;
  readonly #shards: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  #beat: { readonly able: AblePods; readonly atMs: number } | undefined;

  /** @param options.shards of the deployment @param options.now a clock that only goes forward, ms */
  constructor(pod: OwningPod, options: { shards: number; ttlMs: number; now: () => number }) {
    this.#pod = pod;
    this.#shards = options.shards;
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  /** @param able the pods, as the heartbeat that has just been answered found them */
  onBeat(able: AblePods): void {
    this.#beat = { able, atMs: this.#now() };
  }

  /** @returns reasons in words for an operator; none = it is ready */
  whyNot(): readonly string[] {
    if (this.#beat === undefined || this.#now() - this.#beat.atMs > this.#ttlMs) {
      return [`No heartbeat of this pod has reached Redis for ${this.#ttlMs} ms`];
    }
    const { able } = this.#beat;
    if (!able.trusted.some(({ podId }) => podId === this.#pod.id)) return [NOT_TRUSTED];
    const owned = this.#pod.shards.map(({ status }) => status);
    const recovered = new Set(owned.filter((shard) => shard.recovered).map(({ shard }) => shard));
    const recovering = owned.filter((shard) => !shard.recovered).map(({ shard }) => shard);
    const due = Array.from({ length: this.#shards }, (_, shard) => shard).filter((shard) => isDueTo(shard, this.#pod.id, able));
    const missing = [...new Set([...recovering, ...due.filter((shard) => !recovered.has(shard))])];
    if (missing.length === 0) return [];
    return [`Shards that this pod should have and has not recovered: ${missing.sort((a, b) => a - b).join(', ')}`];
  }
}

// Says when a pod's accounts have done what is due and have seen the market. The control calls of tests wait for this notice
// (src/shared/deployment/settledProcesses.ts).

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
