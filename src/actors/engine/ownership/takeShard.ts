// Takes a shard, and says when this pod may. The numbers of the shard go on from the highest that any store knows. Where Redis alone
// proves them MongoDB is not asked: it may be away.

import { type FormatSource, NEWEST_FORMAT, type NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { RefusedShard } from '../../core/messages/podStatus.ts';
import { toCommit, toHead } from '../journal/journal.ts';
import { furthest, highestNamed, readJournalPosition } from '../journal/journalPosition.ts';
import { type HighestNumbers, type Lease, takeLease } from './lease.ts';

/**
 * @returns undefined when another pod has it, or takes it at the moment
 * @throws when Redis does not answer, or MongoDB is needed and does not
 * @throws {NewerFormat} when a newer build has written its position
 */
export async function takeShard(options: {
  redis: Redis;
  mongo: MongoConnection;
  shard: number;
  podId: string;
  ttlMs: number;
}): Promise<Lease | undefined> {
  const { redis, mongo, shard } = options;
  const highest = await readHighWaterMarks({ redis, shard });
  let lease = await takeLease({ ...options, highest, onlyProven: true });
  if (lease === 'unproven') lease = await takeLease({ ...options, highest: await readHighWaterMarks({ redis, mongo, shard }) });
  return typeof lease === 'string' ? undefined : lease;
}

/**
 * The highest numbers of a shard in any store, to be read before the take. A new owner continues beyond them, so that a Redis that has lost
 * its last moments never gives out an epoch, a commit number or an id twice.
 * @param deps.mongo absent = what Redis knows
 * @throws when Redis or MongoDB does not answer
 */
export async function readHighWaterMarks(deps: {
  redis: Redis;
  mongo?: MongoConnection;
  shard: number;
}): Promise<HighestNumbers> {
  const { redis, mongo, shard } = deps;
  const [headFields, newest, position] = await Promise.all([
    redis.hgetall(shardKeys.head(shard)),
    redis.xrevrange(shardKeys.journal(shard), '+', '-', 'COUNT', 1),
    mongo && readJournalPosition(mongo, shard),
  ]);
  const head = toHead(Object.entries(headFields).flat());
  const last = newest[0] && toCommit(newest[0]);
  const stored = position && furthest(position);
  return {
    epoch: Math.max(head.epoch, last?.epoch ?? 0, stored?.epoch ?? 0),
    commitNumber: Math.max(head.commit, last?.number ?? 0, position ? highestNamed(position) : 0),
    idCounter: Math.max(head.idCounter, last?.idCounter ?? 0, stored?.idCounter ?? 0),
  };
}

/** Pause before a shard whose ownership has just ended by itself is taken again, ms; doubled each time. */
const RETAKE_MS_MIN = 50;
const RETAKE_MS_MAX = 5000;
/** An ownership that has lasted this long was a good one, ms. */
const GOOD_AFTER_MS = 10_000;

interface Setback {
  /** Ownerships in a row that have ended by themselves. */
  readonly count: number;
  readonly takenAtMs: number;
  readonly notBeforeMs: number;
}

const NONE: Setback = { count: 0, takenAtMs: 0, notBeforeMs: 0 };

/**
 * When this pod may take a shard without an owner. The first pod in the ranking takes it at once; each further one waits for
 * another half of a lease life. A shard whose ownership has just ended by itself is left alone for a while, twice as long each
 * time, because the cause may persist.
 */
export class TakeSchedule {
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** When each shard without an owner was first seen so. */
  readonly #freeSinceMs = new Map<number, number>();
  readonly #setbacks = new Map<number, Setback>();

  /** @param options.ttlMs life of a lease */
  constructor(options: { ttlMs: number; now: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  /** The shard has an owner. */
  onOwned(shard: number): void {
    this.#freeSinceMs.delete(shard);
  }

  /** @param rank of this pod among those that may have the free shard; -1 = it may not */
  hasCome(shard: number, rank: number): boolean {
    const nowMs = this.#now();
    const freeSinceMs = this.#freeSinceMs.get(shard) ?? nowMs;
    this.#freeSinceMs.set(shard, freeSinceMs);
    const isTurn = rank >= 0 && nowMs - freeSinceMs >= (rank * this.#ttlMs) / 2;
    return isTurn && nowMs >= this.#setback(shard).notBeforeMs;
  }

  /** This pod has taken the shard. */
  onTaken(shard: number): void {
    this.onOwned(shard);
    this.#setbacks.set(shard, { ...this.#setback(shard), takenAtMs: this.#now() });
  }

  /** This pod's ownership has ended by itself. @returns for how long the shard is left alone, ms */
  onEnded(shard: number): number {
    const nowMs = this.#now();
    const { count: earlier, takenAtMs } = this.#setback(shard);
    const count = nowMs - takenAtMs > GOOD_AFTER_MS ? 1 : earlier + 1;
    const pauseMs = Math.min(RETAKE_MS_MIN * 2 ** (count - 1), RETAKE_MS_MAX);
    this.#setbacks.set(shard, { count, takenAtMs, notBeforeMs: nowMs + pauseMs });
    return pauseMs;
  }

  #setback(shard: number): Setback {
    return this.#setbacks.get(shard) ?? NONE;
  }
}

// Shards that this pod has given back because they contain a form that only a newer build can read. The pod announces
// them with its heartbeat, so that pods that can read the form come first, and tries again much later. Nothing in the
// shard is changed meanwhile, and no account is quarantined.

export class RefusedShards {
  readonly #refusals = new Map<number, RefusedShard & { readonly notBeforeMs: number }>();
  readonly #parts: { readonly log: Logger; readonly retryMs: number; readonly now: () => number };

  constructor(parts: { log: Logger; retryMs: number; now: () => number }) {
    this.#parts = parts;
  }

  /** What the pod announces. */
  get list(): RefusedShard[] {
    return [...this.#refusals.values()].map(({ shard, form, version }) => ({ shard, form, version }));
  }

  get size(): number {
    return this.#refusals.size;
  }

  /** The shard is left to pods that can read it; nothing in it is touched. The log has one line for each form. */
  note(shard: number, { form, version, message }: NewerFormat): void {
    const known = this.#refusals.get(shard);
    this.#refusals.set(shard, { shard, form, version, notBeforeMs: this.#parts.now() + this.#parts.retryMs });
    if (known?.form === form && known.version === version) return;
    this.#parts.log.warn({ shard, form, version, reads: NEWEST_FORMAT, reason: message }, 'shard refused');
  }

  mayTry(shard: number): boolean {
    return this.#parts.now() >= (this.#refusals.get(shard)?.notBeforeMs ?? 0);
  }

  /** The shard has been read whole. */
  forget(shard: number): void {
    this.#refusals.delete(shard);
  }
}

/** Whether the deployment writes what this build cannot read: such a pod takes no shard, and says so once. */
export class BuildBehind {
  readonly #parts: { readonly formats: FormatSource; readonly log: Logger };
  #isBehind = false;

  constructor(parts: { formats: FormatSource; log: Logger }) {
    this.#parts = parts;
  }

  /** As the record of the deployment is now. */
  look(): boolean {
    const { recorded } = this.#parts.formats;
    const isBehind = recorded > NEWEST_FORMAT;
    if (isBehind && !this.#isBehind) {
      this.#parts.log.error(
        { recorded, reads: NEWEST_FORMAT },
        'the deployment writes newer forms than this build reads: it takes no shard',
      );
    } else if (!isBehind && this.#isBehind)
      this.#parts.log.info({ recorded }, 'this build reads what the deployment writes again');
    this.#isBehind = isBehind;
    return isBehind;
  }
}
