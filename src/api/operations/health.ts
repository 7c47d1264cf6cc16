// Whether the service can do its work, as this process sees it through Redis. 200 only when every shard has a
// recovered owner and orders can be taken. MongoDB or the jobs may be away for a while: trading goes on and the
// answer says `degraded`. Operators see the whole report (METRICS_PORT); clients see its status (operators.ts).

import { canRead, type PodStatus, parsePodStatus, shardOwners } from '../../actors/domain/messages/podStatus.ts';
import { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config.ts';
import { wrongClocks } from '../../shared/deployment/wrongClocks.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { deploymentKeys, marketKeys, podKeys, shardKeys, workerKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/withTimeout.ts';

/** How long a store may take to answer before it counts as away, ms. */
const STORE_MS_MAX = 1000;
/** A report is reused for this long, ms: many may ask at once. */
const REPORT_KEPT_MS = 1000;

/** Ages over the listed coins, ms; null before the first datum. `stale` counts coins older than the bound. */
interface WireFeedAge {
  readonly newest_ms: number | null;
  readonly oldest_ms: number | null;
  readonly stale: number;
}

/** Times are ISO 8601. */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** Why it is not `ok`, in words for an operator. */
  readonly reasons: readonly string[];
  readonly as_of: string;
  /** The process that reports. */
  readonly node_id: string;
  readonly redis: { readonly up: boolean };
  readonly mongo: { readonly up: boolean; readonly history_lag_ms: number | null };
  readonly roles: {
    readonly actors: readonly WirePod[];
    readonly market: { readonly leader: string | null };
    readonly jobs: readonly { readonly node_id: string; readonly heartbeat: string }[];
  };
  readonly market: {
    readonly source: MarketSource;
    readonly connected_since: string | null;
    readonly feeds: Readonly<Record<'book' | 'context' | 'trades' | 'mids', WireFeedAge>>;
  };
  /** Pod of each shard, null without a recovered owner. */
  readonly shards: { readonly count: number; readonly ready: number; readonly owners: readonly (string | null)[] };
}

interface WirePod {
  readonly pod_id: string;
  readonly leaving: boolean;
  readonly shards: readonly number[];
  readonly accounts: number;
  readonly heartbeat: string;
  /** Newest generation of stored forms that it reads. */
  readonly reads: number;
  /** Shards that it left to newer pods, and what it met there. */
  readonly refused: readonly { readonly shard: number; readonly form: string; readonly version: number }[];
}

type MarketSource = Config['MARKET_SOURCE'];

export interface HealthParts {
  readonly config: Pick<Config, 'SHARDS' | 'NODE_ID' | 'MARKET_SOURCE' | 'MARKET_MAX_AGE_MS' | 'JOURNAL_MAX'>;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  /** The market as this process sees it. */
  readonly market: () => LiveMarket | Promise<LiveMarket>;
  readonly log: Logger;
  readonly now: () => number;
}

type FeedAges = ReturnType<LiveMarket['ages']>;

/** The state of the other roles in Redis. */
interface Deployment {
  readonly pods: readonly PodStatus[];
  readonly leases: readonly (string | null)[];
  readonly marketLease: string | null;
  /** Time of the last heartbeat, ms as text, by job process. */
  readonly workers: Readonly<Record<string, string>>;
  readonly longestJournal: number;
  /** The generation of stored forms that may be written. */
  readonly formats: number;
  /** What every process says of itself, by its name. */
  readonly processes: Readonly<Record<string, string>>;
}

export class Health {
  readonly #parts: HealthParts;
  #latest: { readonly report: Promise<HealthReport>; readonly askedAtMs: number } | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
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
    const stopping = this.#whyNoOrders({ deployment, owners, feeds });
    const ownerSet = new Set(owners.filter((owner) => owner !== undefined));
    const missing = this.#whyDegraded({ mongoUp, owners: ownerSet, deployment });
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

  #whyNoOrders(seen: {
    deployment: Deployment | undefined;
    owners: readonly (PodStatus | undefined)[];
    feeds: ReturnType<LiveMarket['ages']>;
  }): string[] {
    const { SHARDS, JOURNAL_MAX, MARKET_MAX_AGE_MS } = this.#parts.config;
    const { deployment, owners, feeds } = seen;
    if (deployment === undefined) return ['Redis is away'];
    const reasons: string[] = [];
    const unowned = owners.filter((owner) => owner === undefined).length;
    if (unowned > 0) reasons.push(`${unowned} of ${SHARDS} shards have no recovered owner`);
    reasons.push(...whyRefused(deployment.pods, owners));
    if (deployment.longestJournal >= JOURNAL_MAX) reasons.push('A journal is full');
    for (const feed of ['book', 'context'] as const) {
      const ageMs = feeds[feed].newestMs;
      if (ageMs === null) reasons.push(`No market data yet: ${feed}`);
      else if (ageMs > MARKET_MAX_AGE_MS) reasons.push(`Market data is stale: ${feed}, ${Math.round(ageMs / 1000)} s`);
    }
    return reasons;
  }

  #whyDegraded(seen: { mongoUp: boolean; owners: ReadonlySet<PodStatus>; deployment: Deployment | undefined }): string[] {
    const reasons: string[] = [];
    const blind = [...seen.owners].filter((pod) => pod.history.mongoDown);
    if (seen.deployment !== undefined) reasons.push(...whyLeftBehind(seen.deployment), ...wrongClocks(seen.deployment.processes));
    if (!seen.mongoUp) reasons.push('MongoDB is away: history waits in Redis');
    else if (blind.length > 0) reasons.push(`MongoDB is away for ${blind.map((pod) => pod.podId).join(', ')}`);
    if (seen.deployment !== undefined && Object.keys(seen.deployment.workers).length === 0) reasons.push('No jobs process');
    return reasons;
  }

  async #readDeployment(): Promise<Deployment | undefined> {
    const { config, redis, log } = this.#parts;
    const shards = Array.from({ length: config.SHARDS }, (_, shard) => shard);
    try {
      // Single commands, pipelined by the connection: in a cluster the keys lie on different nodes.
      const [pods, leases, journals, marketLease, workers, formats, processes] = await withTimeout(
        STORE_MS_MAX,
        'Redis',
        Promise.all([
          redis.hgetall(podKeys.pods),
          Promise.all(shards.map((shard) => redis.get(shardKeys.lease(shard)))),
          Promise.all(shards.map((shard) => redis.xlen(shardKeys.journal(shard)))),
          redis.get(marketKeys.lease),
          redis.hgetall(workerKeys.workers),
          redis.hget(deploymentKeys.record, 'formats'),
          redis.hgetall(deploymentKeys.processes),
        ]),
      );
      return {
        pods: Object.entries(pods).map(([podId, value]) => parsePodStatus(podId, value)),
        leases,
        marketLease,
        workers,
        longestJournal: Math.max(...journals),
        formats: Number(formats ?? 1),
        processes,
      };
    } catch (error) {
      log.warn({ err: error }, 'health: Redis does not answer');
      return undefined;
    }
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

/** The market as its leader has stored it, for a process that does not follow it. */
export const storedMarket =
  (redis: Redis, { MARKET_MAX_AGE_MS }: Pick<Config, 'MARKET_MAX_AGE_MS'>) =>
  async () => {
    const market = new LiveMarket({ maxAgeMs: MARKET_MAX_AGE_MS });
    market.load(await redis.hgetall(marketKeys.state), '0-0');
    return market;
  };

/** Shards without an owner that a pod has given back: a newer build has to take them. */
function whyRefused(pods: readonly PodStatus[], owners: readonly (PodStatus | undefined)[]): string[] {
  return pods.flatMap(({ podId, refused = [] }) =>
    refused
      .filter(({ shard }) => owners[shard] === undefined)
      .map(({ shard, form, version }) => `${podId} cannot read shard ${shard}: a ${form} has format ${version}`),
  );
}

/** Pods that stand by because the deployment writes newer forms than they read. */
function whyLeftBehind({ pods, formats }: Deployment): string[] {
  return pods
    .filter((pod) => !canRead(pod, formats))
    .map(({ podId }) => `${podId} takes no shard: the deployment writes stored forms of generation ${formats}`);
}

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
    reads: pod.formats?.reads ?? 1,
    refused: [...(pod.refused ?? [])],
  };
}
