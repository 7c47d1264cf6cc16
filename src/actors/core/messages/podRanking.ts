// Which pod should own which shard: rendezvous hashing. Every pod computes the same answer from the same list, and a
// pod that joins or leaves moves no shards but its own share. What an operator has moved goes before the hash.
import type { ShardPin, ShardPins } from '../../../shared/domain/shardPins.ts';
import { canRead, hasRefused, nodeOf, type PodStatus } from './podStatus.ts';

/** A pod must have spoken so many lease lives without a pause before shards are handed over to it. */
const TRUSTED_AFTER_TTLS = 2;

/** The pods that may own shards. */
export interface AblePods {
  readonly trusted: readonly PodStatus[];
  /** They have not spoken for long: they get what nobody else takes. */
  readonly fresh: readonly PodStatus[];
  /** Shards that an operator has moved: a pod of that name comes first for them, as long as there is one. */
  readonly pins: readonly ShardPin[];
}

/**
 * Those that stay, have spoken within a lease's life, and read what the deployment writes.
 * @param heard all pods at a time, by Redis's clock @param options.recorded generation that the deployment writes
 */
export function ablePods(
  { nowMs, pods, pins }: { readonly nowMs: number; readonly pods: readonly PodStatus[]; readonly pins: ShardPins },
  { ttlMs, recorded }: { readonly ttlMs: number; readonly recorded: number },
): AblePods {
  const able = pods.filter((pod) => !pod.leaving && nowMs - pod.atMs <= ttlMs && canRead(pod, recorded));
  const isTrusted = ({ sinceMs }: PodStatus): boolean => nowMs - sinceMs >= TRUSTED_AFTER_TTLS * ttlMs;
  return { trusted: able.filter(isTrusted), fresh: able.filter((pod) => !isTrusted(pod)), pins: pins.pins };
}

/** The trusted pod that should own the shard; undefined when none can read it. */
export function podDueTo(shard: number, { trusted, pins }: AblePods): string | undefined {
  return rank(shard, readersOf(shard, trusted), pins)[0];
}

/** True when the pod should have the shard, and no new one will come before it. */
export function isDueTo(shard: number, podId: string, { trusted, fresh, pins }: AblePods): boolean {
  return rank(shard, readersOf(shard, [...trusted, ...fresh]), pins)[0] === podId;
}

/**
 * True when a trusted pod should own the shard rather than its owner, which may be new. Where a new pod comes first the owner keeps it
 * until that one is trusted: pods that join together move a shard once.
 */
export function isDueToAnother(shard: number, ownerId: string, { trusted, fresh, pins }: AblePods): boolean {
  const all = [...trusted, ...fresh];
  const owner = all.find(({ podId }) => podId === ownerId) ?? { podId: ownerId };
  const others = readersOf(shard, all).filter(({ podId }) => podId !== ownerId);
  const [first] = rank(shard, [...others, owner], pins);
  return first !== ownerId && trusted.some(({ podId }) => podId === first);
}

/** Pod ids, the one that should own the shard first. */
export function rankPods(shard: number, podIds: readonly string[]): string[] {
  return podIds
    .map((podId) => ({ podId, weight: weightOf(`${podId}/${shard}`) }))
    .sort((a, b) => b.weight - a.weight || (a.podId < b.podId ? -1 : 1))
    .map(({ podId }) => podId);
}

/** Pod ids in the order in which they may take a free shard: trusted pods, new ones, and last those that could not read it. */
export function rankReaders(shard: number, { trusted, fresh, pins }: AblePods): string[] {
  const refusing = [...trusted, ...fresh].filter((pod) => hasRefused(pod, shard));
  return [readersOf(shard, trusted), readersOf(shard, fresh), refusing].flatMap((pods) => rank(shard, pods, pins));
}

const readersOf = (shard: number, pods: readonly PodStatus[]): PodStatus[] => pods.filter((pod) => !hasRefused(pod, shard));

/** Pod ids: those to which an operator has moved the shard, then the others, each by the hash. */
function rank(shard: number, pods: readonly Pick<PodStatus, 'podId'>[], pins: readonly ShardPin[]): string[] {
  const node = pins.find((pin) => pin.shard === shard)?.node;
  const named = new Set(pods.filter((pod) => nodeOf(pod.podId) === node).map(({ podId }) => podId));
  const ranked = rankPods(
    shard,
    pods.map(({ podId }) => podId),
  );
  return [...ranked.filter((podId) => named.has(podId)), ...ranked.filter((podId) => !named.has(podId))];
}

/** 32-bit FNV-1a with the finaliser of MurmurHash3: FNV alone hardly changes its high bits with the last character. */
function weightOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
