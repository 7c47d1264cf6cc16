// What a pod hears of the others and of free shards, when nodes of Redis may be away: it waits for none of them longer than a part of a
// heartbeat's time. While the node of the pods is silent, they count as they were heard last: who may take a free shard follows
// from that, and the order in which they try needs no news of them.
import { PendingAnswers } from '../../shared/deployment/pendingAnswers.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { Heard, Heartbeat } from './ownership/heartbeat.ts';

export class PodsHeard {
  readonly #redis: Redis;
  readonly #heartbeat: Heartbeat;
  readonly #spoken: PendingAnswers<'pods', Heard>;
  readonly #left: PendingAnswers<number, number>;
  #last: Heard | undefined;

  /** @param options.withinMs for each of the two questions of a beat */
  constructor(options: { redis: Redis; heartbeat: Heartbeat; withinMs: number }) {
    this.#redis = options.redis;
    this.#heartbeat = options.heartbeat;
    this.#spoken = new PendingAnswers(options.withinMs);
    this.#left = new PendingAnswers(options.withinMs);
  }

  /** @returns undefined before anything was heard; `isOld`: there was no answer in time */
  async speak(report: Parameters<Heartbeat['speak']>[0]): Promise<(Heard & { readonly isOld: boolean }) | undefined> {
    const heard = await this.#spoken.answer('pods', () => this.#heartbeat.speak(report));
    this.#last = heard ?? this.#last;
    return this.#last && { ...this.#last, isOld: heard === undefined };
  }

  /** How long the leases of shards go on, as PTTL says it; shards of a node that does not answer are missing. */
  async leasesLeft(shards: readonly number[]): Promise<Map<number, number>> {
    const left = await Promise.all(
      shards.map((shard) => this.#left.answer(shard, () => this.#redis.pttl(shardKeys.lease(shard)))),
    );
    return new Map(shards.flatMap((shard, i) => (left[i] === undefined ? [] : [[shard, left[i]]])));
  }
}
