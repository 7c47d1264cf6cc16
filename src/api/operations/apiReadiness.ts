// Whether requests may be sent to this API node. It has to have seen every shard with a recovered owner once: a new node that cannot
// serve all accounts gets none. From then on a shard without an owner is no reason: every node sees the same, and a balancer that
// takes them all away would end the service of the other shards too. Their clients get an honest 503.
import type { Health } from './health.ts';

export class ApiReadiness {
  readonly #health: Pick<Health, 'report'>;
  #hasSeenAllOwned = false;

  constructor(health: Pick<Health, 'report'>) {
    this.#health = health;
  }

  /** @returns reasons in words for an operator; none = it may be asked */
  async whyNotReady(): Promise<readonly string[]> {
    const { redis, shards } = await this.#health.report();
    if (!redis.up) return ['Redis is away'];
    if (shards.ready === shards.count) this.#hasSeenAllOwned = true;
    if (this.#hasSeenAllOwned) return [];
    return [`${shards.count - shards.ready} of ${shards.count} shards have no recovered owner`];
  }
}
