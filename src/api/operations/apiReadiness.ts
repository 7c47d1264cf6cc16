// Whether requests may be sent to this API node. It has to have seen every shard with a recovered owner once: a new node that cannot
// serve all accounts gets none. From then on it is one shard with an owner that counts: every node sees the same, and a balancer that
// takes them all away for one shard would end the service of the others too. The clients of that one get an honest 503.
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
    if (this.#hasSeenAllOwned && shards.ready > 0) return [];
    return [`${shards.count - shards.ready} of ${shards.count} shards have no recovered owner`];
  }
}
