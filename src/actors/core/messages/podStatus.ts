// Which actor pods there are, and which shards each of them should own.
import type { ShardPin, ShardPins } from '../../../shared/domain/shards.ts';

/**
 * What an actor pod announces with each heartbeat, in the hash `{pods}:actors` (podId -> `<ms> <JSON>`, where the
 * time is Redis's own). Other pods assign shards by it, and /health finds by it which shard has a recovered owner.
 */
export interface ShardStatus {
  readonly shard: number;
  /** Value of the shard's lease key as long as the pod owns it. */
  readonly token: string;
  /** True once commands are answered; accounts without a command may still be loading. */
  readonly recovered: boolean;
  /** True once every live account is in memory and the market acts on it. */
  readonly loaded: boolean;
  /** Accounts in memory. */
  readonly accounts: number;
  /** Accounts that are answered 503. */
  readonly halted: number;
  /** Reasons of some of them, by account; absent when there is none. */
  readonly haltedFor?: Readonly<Record<string, string>>;
}

/** What a shard has cost the one thread of its owner, in the seconds before it was written. */
export interface LoadReport {
  readonly seconds: number;
  /** Part of the thread's time, 0 to 1: commands, market changes, what was due, commits. */
  readonly busy: number;
  /** Commands of all accounts, a second. */
  readonly commands: number;
  /** The accounts that took most of it: `times` a second that each was run, for a command or by itself. */
  readonly top: readonly { readonly account: string; readonly busy: number; readonly times: number }[];
}

/** As the owner leaves it in Redis for operators; it says something of the shard as long as `token` is the lease's. */
export interface ShardLoadRecord extends LoadReport {
  readonly token: string;
  readonly journalBytes: number;
}

/** A shard that the pod has given back: something in it was written by a newer build. */
export interface RefusedShard {
  readonly shard: number;
  /** What it is, e.g. `snapshot`, and the generation it names. */
  readonly form: string;
  readonly version: number;
}

export interface PodStatus {
  readonly podId: string;
  /** When it last spoke, by Redis's clock. */
  readonly atMs: number;
  /** Since when it has spoken without a pause, by Redis's clock. */
  readonly sinceMs: number;
  /** True when it is giving its shards away and takes no more. */
  readonly leaving: boolean;
  readonly shards: readonly ShardStatus[];
  /** Worst of its shards: age of the oldest journal entry that MongoDB lacks though it is due, and whether MongoDB is away. */
  readonly history: { readonly lagMs: number; readonly mongoDown: boolean };
  /** Newest generation of stored forms that it reads, and the one that it writes. */
  readonly formats: { readonly reads: number; readonly writes: number };
  /** Shards that it leaves to others; absent = none. */
  readonly refused?: readonly RefusedShard[];
  /** Number of the record of moved shards that it goes by. */
  readonly pins: number;
}

/** The part of a status that is written as JSON; id and time stand beside it. */
export type PodReport = Omit<PodStatus, 'podId' | 'atMs'>;

/** @param value `<ms> <JSON>` @throws Error when it is not */
export function parsePodStatus(podId: string, value: string): PodStatus {
  const gap = value.indexOf(' ');
  return { podId, atMs: Number(value.slice(0, gap)), ...(JSON.parse(value.slice(gap + 1)) as PodReport) };
}

/**
 * The pod that answers for each shard now, by shard number; undefined where none does.
 * @param leases value of each shard's lease key, by shard number; a status counts only while its token is the lease's
 */
export function shardOwners(pods: readonly PodStatus[], leases: readonly (string | null)[]): (PodStatus | undefined)[] {
  return leases.map((token, shard) =>
    pods.find((pod) => pod.shards.some((one) => one.shard === shard && one.recovered && one.token === token)),
  );
}

/** NODE_ID of a pod: its id without the random part of this life. */
export const nodeOf = (podId: string): string => podId.slice(0, podId.lastIndexOf('.'));

/** True when the pod reads what the deployment may write. */
export const canRead = ({ formats }: PodStatus, generation: number): boolean => formats.reads >= generation;

/** True when the pod has given the shard back. */
const hasRefused = ({ refused = [] }: PodStatus, shard: number): boolean => refused.some((one) => one.shard === shard);

// Which pod should own which shard: rendezvous hashing. Every pod computes the same answer from the same list, and a
// pod that joins or leaves moves no shards but its own share. What an operator has moved goes before the hash.

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
