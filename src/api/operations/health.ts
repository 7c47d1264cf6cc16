// Whether the service can do its work, as this process sees it through Redis. 200 only when every shard has a
// recovered owner and orders can be taken. MongoDB or the jobs may be away for a while: trading goes on and the
// answer says `degraded`. Operators see the whole report (METRICS_PORT); clients see its status (operators.ts).

import type { Registry } from 'prom-client';
import { type PodStatus, shardOwners } from '../../actors/core/messages/podStatus.ts';
import { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config/config.ts';
import type { RoleParts } from '../../shared/deployment/role.ts';
import type { Logger } from '../../shared/logger.ts';
import type { HealthSource } from '../../shared/metrics/metricsServer.ts';
import type { WhyNotReady } from '../../shared/metrics/readiness.ts';
import { scrapedMetrics } from '../../shared/metrics/scrapedMetrics.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { marketKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/waiting.ts';
import { type Deployment, DeploymentReader } from './deployment.ts';
import type { HealthReport } from './healthReport.ts';
import { type FeedAges, whyDegraded, whyNoOrders } from './reasons.ts';

/** How long a store may take to answer before it counts as away, ms. */
const STORE_MS_MAX = 1000;
/** A report is reused for this long, ms: many may ask at once. */
const REPORT_KEPT_MS = 1000;

export interface HealthParts {
  readonly config: Pick<Config, 'SHARDS' | 'NODE_ID' | 'MARKET_SOURCE' | 'MARKET_MAX_AGE_MS' | 'JOURNAL_MAX'>;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  /** The market as this process sees it. */
  readonly market: () => LiveMarket | Promise<LiveMarket>;
  readonly log: Logger;
  readonly now: () => number;
}

export class Health {
  readonly #parts: HealthParts;
  readonly #deployment: DeploymentReader;
  #latest: { readonly report: Promise<HealthReport>; readonly askedAtMs: number } | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#deployment = new DeploymentReader(parts.redis, parts.config);
  }

  report(): Promise<HealthReport> {
    const nowMs = this.#parts.now();
    const isKept = this.#latest !== undefined && Math.abs(nowMs - this.#latest.askedAtMs) < REPORT_KEPT_MS;
    if (this.#latest === undefined || !isKept) {
      this.#latest = { report: this.#make(), askedAtMs: nowMs };
    }
    return this.#latest.report;
  }

  async #make(): Promise<HealthReport> {
    const { config, now } = this.#parts;
    const [deployment, mongoUp, market] = await Promise.all([this.#readDeployment(), this.#pingMongo(), this.#readMarket()]);
    const pods = deployment?.pods ?? [];
    const owners = deployment ? shardOwners(pods, deployment.leases) : Array.from({ length: config.SHARDS }, () => undefined);
    const ready = owners.filter((owner) => owner !== undefined).length;
    const feeds = market.ages(now());
    const stopping = whyNoOrders(config, { deployment, owners, feeds });
    const ownerSet = new Set(owners.filter((owner) => owner !== undefined));
    const missing = whyDegraded({ mongoUp, owners: ownerSet, deployment });
    const since = market.status?.connectedSinceMs ?? null;
    return {
      status: stopping.length > 0 ? 'unavailable' : missing.length > 0 ? 'degraded' : 'ok',
      reasons: [...stopping, ...missing],
      as_of: new Date(now()).toISOString(),
      node_id: config.NODE_ID,
      redis: { up: deployment !== undefined },
      mongo: {
        up: mongoUp,
        history_lag_ms: ownerSet.size === 0 ? null : Math.max(...[...ownerSet].map((pod) => pod.history.lagMs)),
      },
      roles: {
        actors: pods.map((pod) => toRoleStatus(pod, owners)),
        market: { leader: deployment?.marketLease ?? null },
        jobs: Object.entries(deployment?.workers ?? {}).map(toWorker),
      },
      market: {
        source: market.status?.source ?? config.MARKET_SOURCE,
        connected_since: since === null ? null : new Date(since).toISOString(),
        feeds: toWireFeeds(feeds),
      },
      shards: { count: config.SHARDS, ready, owners: owners.map((owner) => owner?.podId ?? null) },
    };
  }

  /** @returns undefined when Redis does not answer */
  async #readDeployment(): Promise<Deployment | undefined> {
    const deployment = await this.#deployment.read();
    if (deployment === undefined) this.#parts.log.warn('health: Redis does not answer');
    else if (deployment.isPartial) this.#parts.log.warn('health: a part of Redis does not answer');
    return deployment;
  }

  /** Without data when Redis does not answer. */
  async #readMarket(): Promise<LiveMarket> {
    const { market, config, log } = this.#parts;
    try {
      return await withTimeout(STORE_MS_MAX, 'Redis', Promise.resolve(market()));
    } catch (error) {
      log.warn({ err: error }, 'health: the market cannot be read');
      return new LiveMarket({ maxAgeMs: config.MARKET_MAX_AGE_MS });
    }
  }

  async #pingMongo(): Promise<boolean> {
    const { mongo, log } = this.#parts;
    try {
      await withTimeout(STORE_MS_MAX, 'MongoDB', mongo.db.command({ ping: 1 }));
      return true;
    } catch (error) {
      log.warn({ err: error }, 'health: MongoDB does not answer');
      return false;
    }
  }
}

/** The report of a process that does not follow the market. */
export function healthOutsideApi({ config, log, redis, mongo, now }: RoleParts): HealthSource {
  const health = new Health({ config, log, redis, mongo, now, market: storedMarket(redis, config) });
  return () => health.report();
}

/** The market as its leader has stored it, for a process that does not follow it. */
export const storedMarket =
  (redis: Redis, { MARKET_MAX_AGE_MS }: Pick<Config, 'MARKET_MAX_AGE_MS'>) =>
  async () => {
    const market = new LiveMarket({ maxAgeMs: MARKET_MAX_AGE_MS });
    market.load(await redis.hgetall(marketKeys.state), '0-0');
    return market;
  };

function toWireFeeds(feeds: FeedAges): HealthReport['market']['feeds'] {
  const toWire = ({ newestMs, oldestMs, stale }: FeedAges['book']) => ({ newest_ms: newestMs, oldest_ms: oldestMs, stale });
  return { book: toWire(feeds.book), context: toWire(feeds.context), trades: toWire(feeds.trades), mids: toWire(feeds.mids) };
}

const toWorker = ([nodeId, atMs]: [string, string]): HealthReport['roles']['jobs'][number] => ({
  node_id: nodeId,
  heartbeat: new Date(Number(atMs)).toISOString(),
});

function toRoleStatus(pod: PodStatus, owners: readonly (PodStatus | undefined)[]): HealthReport['roles']['actors'][number] {
  return {
    pod_id: pod.podId,
    leaving: pod.leaving,
    shards: owners.flatMap((owner, shard) => (owner === pod ? [shard] : [])),
    accounts: pod.shards.reduce((sum, shard) => sum + shard.accounts, 0),
    heartbeat: new Date(pod.atMs).toISOString(),
    reads: pod.formats.reads,
    refused: [...(pod.refused ?? [])],
  };
}

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

/**
 * Whether requests may be sent to this API node. It has to have seen every shard with a recovered owner once: a new node that cannot
 * serve all accounts gets none. From then on it is one shard with an owner that counts: every node sees the same, and a balancer that
 * takes them all away for one shard would end the service of the others too. The clients of that one get an honest 503.
 */
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

/**
 * The condition of the whole service as an API node sees it, in the node's metrics: what /health says, for alerts. It is the report of
 * Health, made once a second at most. Without a process of the role `api` there are no such figures: the rules have an alert for that, too.
 */
export function registerServiceMetrics(registry: Registry, health: Pick<Health, 'report'>): void {
  const gauge = (name: string, help: string, read: (report: HealthReport) => number): void => {
    scrapedMetrics(registry).gauge(name, help, async () => read(await health.report()));
  };
  gauge('service_taking_orders', '1 while orders can be taken, 0 otherwise.', ({ status }) => (status === 'unavailable' ? 0 : 1));
  gauge('service_redis_up', '1 while Redis answers this node.', ({ redis }) => (redis.up ? 1 : 0));
  gauge('service_mongo_up', '1 while MongoDB answers this node.', ({ mongo }) => (mongo.up ? 1 : 0));
  // What Redis does not say is unknown, not none: another alert reports that it is away.
  gauge('service_shards_without_owner', 'Shards without a recovered owner; NaN while Redis is away.', ({ redis, shards }) =>
    redis.up ? shards.count - shards.ready : Number.NaN,
  );
  gauge('service_market_leaders', 'Processes that lead the market: 1, or 0; NaN while Redis is away.', ({ redis, roles }) =>
    redis.up ? Number(roles.market.leader !== null) : Number.NaN,
  );
  gauge('service_jobs_processes', 'Processes of the role jobs that live; NaN while Redis is away.', ({ redis, roles }) =>
    redis.up ? roles.jobs.length : Number.NaN,
  );
}
