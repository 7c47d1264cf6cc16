// What an actor pod announces with each heartbeat, in the hash `{pods}:actors` (podId -> `<ms> <JSON>`, where the
// time is Redis's own). Other pods assign shards by it, and /health finds by it which shard has a recovered owner.

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
export const hasRefused = ({ refused = [] }: PodStatus, shard: number): boolean => refused.some((one) => one.shard === shard);
