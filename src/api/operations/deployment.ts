// What the other roles have written into Redis about themselves.
import { type PodStatus, parsePodStatus } from '../../actors/core/messages/podStatus.ts';
import type { Config } from '../../shared/config/config.ts';
import { deploymentKeys, marketKeys, podKeys, shardKeys, workerKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { PendingAnswers } from '../../shared/waiting.ts';

export interface Deployment {
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
  /** A part of it could not be read: a node of Redis is away. */
  readonly isPartial: boolean;
}

/** How long a part may take to be read, ms. */
const PART_MS_MAX = 1000;

/**
 * Reads it part by part: on a cluster the keys lie on different nodes, and one that is away hides nothing of the others. What does not come
 * in time is as it was before, but for leases: a shard whose lease cannot be read has no owner.
 */
export class DeploymentReader {
  readonly #redis: Redis;
  readonly #shards: readonly number[];
  readonly #pending = new PendingAnswers<string, unknown>(PART_MS_MAX);
  #pods: Readonly<Record<string, string>> = {};
  #marketLease: string | null = null;
  #workers: Readonly<Record<string, string>> = {};
  #formats: string | null = null;
  #processes: Readonly<Record<string, string>> = {};

  constructor(redis: Redis, { SHARDS }: Pick<Config, 'SHARDS'>) {
    this.#redis = redis;
    this.#shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  }

  /** @returns undefined when nothing of Redis answers */
  async read(): Promise<Deployment | undefined> {
    const redis = this.#redis;
    const [pods, leases, journals, marketLease, workers, formats, processes] = await Promise.all([
      this.#part('pods', () => redis.hgetall(podKeys.pods)),
      Promise.all(this.#shards.map((shard) => this.#part(`lease ${shard}`, () => redis.get(shardKeys.lease(shard))))),
      Promise.all(this.#shards.map((shard) => this.#part(`journal ${shard}`, () => redis.xlen(shardKeys.journal(shard))))),
      this.#part('market', () => redis.get(marketKeys.lease)),
      this.#part('workers', () => redis.hgetall(workerKeys.workers)),
      this.#part('formats', () => redis.hget(deploymentKeys.record, 'formats')),
      this.#part('processes', () => redis.hgetall(deploymentKeys.processes)),
    ]);
    const parts = [pods, ...leases, ...journals, marketLease, workers, formats, processes];
    if (parts.every((part) => part === undefined)) return undefined;
    this.#pods = pods ?? this.#pods;
    this.#marketLease = marketLease === undefined ? this.#marketLease : marketLease;
    this.#workers = workers ?? this.#workers;
    this.#formats = formats === undefined ? this.#formats : formats;
    this.#processes = processes ?? this.#processes;
    return {
      pods: Object.entries(this.#pods).map(([podId, value]) => parsePodStatus(podId, value)),
      leases: leases.map((lease) => lease ?? null),
      marketLease: this.#marketLease,
      workers: this.#workers,
      longestJournal: Math.max(...journals.map((length) => length ?? 0)),
      formats: Number(this.#formats ?? 1),
      processes: this.#processes,
      isPartial: parts.includes(undefined),
    };
  }

  #part<Part>(name: string, ask: () => Promise<Part>): Promise<Part | undefined> {
    return this.#pending.answer(name, ask) as Promise<Part | undefined>;
  }
}
