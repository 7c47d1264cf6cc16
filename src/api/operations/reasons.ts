// Why the service takes no orders, or is not whole, in words for an operator.
import { canRead, type PodStatus } from '../../actors/core/messages/podStatus.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config/config.ts';
import { wrongClocks } from '../../shared/deployment/liveProcesses.ts';
import type { Deployment } from './deployment.ts';

export type FeedAges = ReturnType<LiveMarket['ages']>;

/** @param seen.deployment absent while Redis is away */
export function whyNoOrders(
  { SHARDS, JOURNAL_MAX, MARKET_MAX_AGE_MS }: Pick<Config, 'SHARDS' | 'JOURNAL_MAX' | 'MARKET_MAX_AGE_MS'>,
  seen: { deployment: Deployment | undefined; owners: readonly (PodStatus | undefined)[]; feeds: FeedAges },
): string[] {
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

/** @param seen.owners pods that have shards */
export function whyDegraded(seen: {
  mongoUp: boolean;
  owners: ReadonlySet<PodStatus>;
  deployment: Deployment | undefined;
}): string[] {
  const reasons: string[] = [];
  const blind = [...seen.owners].filter((pod) => pod.history.mongoDown);
  if (seen.deployment?.isPartial) reasons.push('A part of Redis does not answer');
  if (seen.deployment !== undefined) reasons.push(...whyLeftBehind(seen.deployment), ...wrongClocks(seen.deployment.processes));
  if (!seen.mongoUp) reasons.push('MongoDB is away: history waits in Redis');
  else if (blind.length > 0) reasons.push(`MongoDB is away for ${blind.map((pod) => pod.podId).join(', ')}`);
  if (seen.deployment !== undefined && Object.keys(seen.deployment.workers).length === 0) reasons.push('No jobs process');
  return reasons;
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
