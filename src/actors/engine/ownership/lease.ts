// The right to write one shard. Its value in Redis is a token that no two owners ever share: the epoch rises with
// every take, even when Redis has lost the last one. Every write of an owner is guarded by the whole token.
import { randomBytes } from 'node:crypto';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { LeaseTerm } from './leaseTerm.ts';
import { releaseScript } from './releaseScript.ts';
import { takeScript } from './takeScript.ts';

/** Ids skipped by a take, so that one given out by a commit that Redis has lost is never given again. */
const IDS_SKIPPED = 1_000_000;

/** The highest numbers of a shard known outside of the head, e.g. to MongoDB. */
export interface KnownHighest {
  readonly epoch: number;
  readonly commitNumber: number;
  readonly idCounter: number;
}

export interface Lease {
  readonly shard: number;
  /** `epoch:podId:random` */
  readonly token: string;
  readonly epoch: number;
  /** Of the last commit before the take. */
  readonly commitNumber: number;
  /** Ids go on after this one. */
  readonly idCounter: number;
  /** True when the last owner released the shard in order, or there was none. */
  readonly isClean: boolean;
  /** True when the last owner had loaded all its accounts: what was at the heads of their mailboxes was begun, as likely as not. */
  readonly hasWorked: boolean;
  /** True when Redis alone proves the shard's numbers and its kept snapshots. */
  readonly isProven: boolean;
  /** How long its owner may believe in it without an answer of Redis. */
  readonly term: LeaseTerm;
}

/**
 * Takes a free shard.
 * @param options.onlyProven the highest numbers are Redis's alone
 * @returns `taken` when another pod owns it, `stale` when the highest numbers are out of date and have to be read again,
 *   `unproven` when only MongoDB knows them
 */
export async function takeLease(options: {
  redis: Redis;
  shard: number;
  podId: string;
  ttlMs: number;
  highest: KnownHighest;
  onlyProven?: boolean;
}): Promise<Lease | 'taken' | 'stale' | 'unproven'> {
  const { redis, shard, podId, ttlMs, highest: floor, onlyProven = false } = options;
  const epoch = floor.epoch + 1;
  const token = `${epoch}:${podId}:${randomBytes(6).toString('hex')}`;
  const keys = [shardKeys.lease(shard), shardKeys.head(shard), shardKeys.kept(shard)];
  const args = [token, ttlMs, epoch, floor.commitNumber, floor.idCounter, IDS_SKIPPED, onlyProven ? 1 : 0];
  const askedAt = performance.now();
  const [answer, ...found] = (await takeScript.run(redis, keys, args)) as [string, number, number, number, number, number];
  const [commitNumber, idCounter, clean, worked, proven] = found;
  if (answer === 'taken' || answer === 'stale' || answer === 'unproven') return answer;
  const state = { isClean: clean === 1, hasWorked: worked === 1, isProven: proven === 1 };
  return { shard, token, epoch, commitNumber, idCounter, ...state, term: new LeaseTerm(ttlMs, askedAt) };
}

/**
 * Gives the shard back; nothing happens when it belongs to another by now.
 * @param options.hasLost Redis has lost something: the next owner asks MongoDB
 */
export async function releaseLease(redis: Redis, lease: Lease, { hasLost = false } = {}): Promise<void> {
  const { shard, token } = lease;
  const keys = [shardKeys.lease(shard), shardKeys.head(shard), shardKeys.poisonCommands(shard)];
  await releaseScript.run(redis, keys, [token, hasLost ? 1 : 0]);
}
