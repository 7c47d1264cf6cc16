// Whether requests may be sent to this API node. It has to have seen every shard with a recovered owner once: a new node that cannot
// serve all accounts gets none. From then on it is one shard with an owner that counts: every node sees the same, and a balancer that
// takes them all away for one shard would end the service of the others too. The clients of that one get an honest 503.
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { RoleParts } from '../../shared/deployment/role.ts';
import type { WhyNotReady } from '../../shared/metrics/readiness.ts';
import { Health } from './health.ts';
import { registerServiceMetrics } from './serviceMetrics.ts';

/** The node's report of the service, for /health, its metrics and /ready. */
export function createHealth(
  parts: RoleParts,
  market: LiveMarket,
): { readonly health: Health; readonly whyNotReady: WhyNotReady } {
  const { config, redis, mongo, log, now, registry } = parts;
  const health = new Health({ config, redis, mongo, log, now, market: () => market });
  registerServiceMetrics(registry, health);
  const readiness = new ApiReadiness(health);
  return { health, whyNotReady: () => readiness.whyNotReady() };
}

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
