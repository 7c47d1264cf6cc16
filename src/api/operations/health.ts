// Whether the service can do its work, as this API node sees it through Redis. 200 only when every shard has a
// recovered owner and orders can be taken. MongoDB or the jobs may be away for a while: trading goes on and the
// answer says `degraded`.

import { Type } from '@sinclair/typebox';
import { canRead, type PodStatus, parsePodStatus, shardOwners } from '../../actors/domain/messages/podStatus.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { deploymentKeys, marketKeys, podKeys, shardKeys, workerKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/withTimeout.ts';
import { type AnswerFor, Count, exactly, IsoTime, orNull, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';

/** How long a store may take to answer before it counts as away, ms. */
const STORE_MS_MAX = 1000;
/** An answer is reused for this long, ms: /health is never refused, so it must stay cheap. */
const ANSWER_KEPT_MS = 200;

const OrNullMs = orNull(Type.Integer());
const FeedAge = exactly(
  { newest_ms: OrNullMs, oldest_ms: OrNullMs, stale: described(Count, 'Coins older than the bound.') },
  { description: 'Ages over the listed coins, ms; null before the first datum.' },
);

export const HealthAnswer = exactly({
  status: words('ok', 'degraded', 'unavailable'),
  reasons: described(Type.Array(Type.String()), 'Why it is not `ok`, in words for an operator.'),
  as_of: IsoTime,
  redis: exactly({ up: Type.Boolean() }),
  mongo: exactly({ up: Type.Boolean(), history_lag_ms: orNull(Type.Number()) }),
  roles: exactly({
    api: exactly({ node_id: Type.String() }),
    actors: Type.Array(
      exactly({
        pod_id: Type.String(),
        leaving: Type.Boolean(),
        shards: Type.Array(Count),
        accounts: Count,
        heartbeat: IsoTime,
        reads: described(Count, 'Newest generation of stored forms that it reads.'),
        refused: described(
          Type.Array(exactly({ shard: Count, form: Type.String(), version: Count })),
          'Shards that it left to newer pods, and what it met there.',
        ),
      }),
    ),
    market: exactly({ leader: orNull(Type.String()) }),
    jobs: Type.Array(exactly({ node_id: Type.String(), heartbeat: IsoTime })),
  }),
  market: exactly({
    source: words('live', 'emulated', 'replay'),
    connected_since: orNull(IsoTime),
    feeds: exactly({ book: FeedAge, context: FeedAge, trades: FeedAge, mids: FeedAge }),
  }),
  shards: exactly({ count: Count, ready: Count, owners: Type.Array(orNull(Type.String())) }),
});

export type HealthReport = AnswerFor<typeof HealthAnswer>;

export interface HealthParts {
  readonly config: Pick<Config, 'SHARDS' | 'NODE_ID' | 'MARKET_SOURCE' | 'MARKET_MAX_AGE_MS' | 'JOURNAL_MAX'>;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly market: LiveMarket;
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
}

export class Health {
  readonly #parts: HealthParts;
  #latest: { readonly report: Promise<HealthReport>; readonly askedAtMs: number } | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  report(): Promise<HealthReport> {
    const nowMs = this.#parts.now();
    if (this.#latest === undefined || nowMs - this.#latest.askedAtMs > ANSWER_KEPT_MS) {
      this.#latest = { report: this.#make(), askedAtMs: nowMs };
    }
    return this.#latest.report;
  }

  async #make(): Promise<HealthReport> {
    const { config, market, now } = this.#parts;
    const [deployment, mongoUp] = await Promise.all([this.#readDeployment(), this.#pingMongo()]);
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
      redis: { up: deployment !== undefined },
      mongo: {
        up: mongoUp,
        history_lag_ms: ownerSet.size === 0 ? null : Math.max(...[...ownerSet].map((pod) => pod.history.lagMs)),
      },
      roles: {
        api: { node_id: config.NODE_ID },
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
    if (seen.deployment !== undefined) reasons.push(...whyLeftBehind(seen.deployment));
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
      const [pods, leases, journals, marketLease, workers, formats] = await withTimeout(
        STORE_MS_MAX,
        'Redis',
        Promise.all([
          redis.hgetall(podKeys.pods),
          Promise.all(shards.map((shard) => redis.get(shardKeys.lease(shard)))),
          Promise.all(shards.map((shard) => redis.xlen(shardKeys.journal(shard)))),
          redis.get(marketKeys.lease),
          redis.hgetall(workerKeys.workers),
          redis.hget(deploymentKeys.record, 'formats'),
        ]),
      );
      return {
        pods: Object.entries(pods).map(([podId, value]) => parsePodStatus(podId, value)),
        leases,
        marketLease,
        workers,
        longestJournal: Math.max(...journals),
        formats: Number(formats ?? 1),
      };
    } catch (error) {
      log.warn({ err: error }, 'health: Redis does not answer');
      return undefined;
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
