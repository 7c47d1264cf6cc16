// Which pod should own which shard: rendezvous hashing. Every pod computes the same answer from the same list, and a
// pod that joins or leaves moves no shards but its own share.
import { canRead, hasRefused, type PodStatus } from './podStatus.ts';

/** A pod must have spoken so many lease lives without a pause before shards are handed over to it. */
const TRUSTED_AFTER_TTLS = 2;

/** The pods that may own shards. */
export interface AblePods {
  readonly trusted: readonly PodStatus[];
  /** They have not spoken for long: they get what nobody else takes. */
  readonly fresh: readonly PodStatus[];
}

/**
 * Those that stay, have spoken within a lease's life, and read what the deployment writes.
 * @param options.recorded generation that the deployment writes
 */
export function ablePods(
  pods: readonly PodStatus[],
  { nowMs, ttlMs, recorded }: { readonly nowMs: number; readonly ttlMs: number; readonly recorded: number },
): AblePods {
  const able = pods.filter((pod) => !pod.leaving && nowMs - pod.atMs <= ttlMs && canRead(pod, recorded));
  const isTrusted = ({ sinceMs }: PodStatus): boolean => nowMs - sinceMs >= TRUSTED_AFTER_TTLS * ttlMs;
  return { trusted: able.filter(isTrusted), fresh: able.filter((pod) => !isTrusted(pod)) };
}

/** True when another pod should own the shard rather than its owner. */
export function isDueToAnother(shard: number, ownerId: string, { trusted }: AblePods): boolean {
  const others = trusted.filter((pod) => pod.podId !== ownerId && !hasRefused(pod, shard)).map(({ podId }) => podId);
  return rankPods(shard, [...others, ownerId])[0] !== ownerId;
}

/** Pod ids, the one that should own the shard first. */
export function rankPods(shard: number, podIds: readonly string[]): string[] {
  return podIds
    .map((podId) => ({ podId, weight: weightOf(`${podId}/${shard}`) }))
    .sort((a, b) => b.weight - a.weight || (a.podId < b.podId ? -1 : 1))
    .map(({ podId }) => podId);
}

/** Pod ids in the order in which they may take a free shard: trusted pods, new ones, and last those that could not read it. */
export function rankReaders(shard: number, { trusted, fresh }: AblePods): string[] {
  const rank = (pods: readonly PodStatus[]): string[] =>
    rankPods(
      shard,
      pods.map(({ podId }) => podId),
    );
  const reading = (pods: readonly PodStatus[]): PodStatus[] => pods.filter((pod) => !hasRefused(pod, shard));
  const refusing = [...trusted, ...fresh].filter((pod) => hasRefused(pod, shard));
  return [...rank(reading(trusted)), ...rank(reading(fresh)), ...rank(refusing)];
}

/** 32-bit FNV-1a with the finaliser of MurmurHash3: FNV alone hardly changes its high bits with the last character. */
function weightOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
