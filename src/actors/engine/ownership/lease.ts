// The right to write one shard. Its value in Redis is a token that no two owners ever share: the epoch rises with
// every take, even when Redis has lost the last one. Every write of an owner is guarded by the whole token.
import { randomBytes } from 'node:crypto';
import { RetryableError } from '../../../shared/errors.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { REDIS_LIFE_LUA, Script } from '../../../shared/redis/script.ts';

/** Ids skipped by a take, so that one given out by a commit that Redis has lost is never given again. */
const IDS_SKIPPED = 1_000_000;

/** The highest numbers of a shard that a store knows. */
export interface HighestNumbers {
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
  highest: HighestNumbers;
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

/** Part of a lease's life that is not used: two clocks do not run at exactly the same speed. */
const SLACK = 0.05;

/**
 * How long a pod may believe in a lease by itself. A pod that Redis does not answer any more cannot see its lease run out, so
 * it knows by its own monotonic clock when each lease must have ended there, and stops before.
 */
export class LeaseTerm {
  readonly #believedMs: number;
  #endsAt: number;

  /** @param askedAt when the request that took the lease was sent, by `performance.now()`: its life in Redis began later */
  constructor(ttlMs: number, askedAt: number) {
    this.#believedMs = ttlMs * (1 - SLACK);
    this.#endsAt = askedAt + this.#believedMs;
  }

  /** False when the lease may have ended in Redis: what is decided from now on may never count. */
  get isRunning(): boolean {
    return performance.now() < this.#endsAt;
  }

  /**
   * Call it at once before each write into MongoDB, which has no token to refuse one of an earlier owner: none begins later than a
   * lease's life after another pod has taken the shard (journalLoss.ts waits so long).
   * @throws {RetryableError} when the lease may have ended in Redis
   */
  readonly requireRunning = (): void => {
    if (!this.isRunning) throw new RetryableError('The lease may have ended: nothing is written into MongoDB under it.');
  };

  /**
   * @param askedAt when the renewal was first sent, by `performance.now()`
   * @returns whether it had ended meanwhile: what was to be decided then has waited
   */
  renewed(askedAt: number): boolean {
    const hadEnded = !this.isRunning;
    this.#endsAt = askedAt + this.#believedMs;
    return hadEnded;
  }
}

const takeScript = new Script(
  'takeShard',
  `
-- Takes a shard without an owner.
-- KEYS  lease, head, kept snapshots.
-- ARGV  token, lease life in ms, the token's epoch, commit number and id counter that are known from elsewhere, ids to skip,
--       1 when these numbers are Redis's alone: then only a proven shard is taken.
-- Answers {'taken'} another pod owns it | {'stale'} the epoch was used meanwhile: read the highest numbers again
--   | {'unproven'} Redis alone does not prove them: ask MongoDB
--   | {'won', commit number, id counter, 1 when the last owner went in order, 1 when it had all its accounts and worked,
--     1 when the shard is proven}.
-- Proven: the last owner has said, in this life of Redis, that nothing it had answered is missing. Otherwise
-- Redis may have lost the end of the journal behind the kept snapshots: they are removed.
-- Atomic because two pods may read the same floor: only one may get the epoch, and what it goes on from must be what the
-- last owner left.
${REDIS_LIFE_LUA}
if redis.call('EXISTS', KEYS[1]) == 1 then return {'taken'} end
local head = redis.call('HMGET', KEYS[2], 'epoch', 'n', 'ids', 'clean', 'work', 'kept')
if tonumber(head[1] or '0') >= tonumber(ARGV[3]) then return {'stale'} end
local life = redisLife()
local proven = head[1] and life ~= '' and head[6] == head[1] .. ' ' .. life
if ARGV[7] == '1' and not proven then return {'unproven'} end
local number = math.max(tonumber(head[2] or '0'), tonumber(ARGV[4]))
local ids = math.max(tonumber(head[3] or '0'), tonumber(ARGV[5])) + tonumber(ARGV[6])
local clean = (not head[1] or head[4] == '1') and 1 or 0
local worked = (head[1] and head[5] == head[1]) and 1 or 0
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], 'epoch', ARGV[3], 'by', ARGV[1], 'n', string.format('%.0f', number), 'ids', string.format('%.0f', ids), 'clean', '0')
if proven then
  redis.call('HSET', KEYS[2], 'kept', ARGV[3] .. ' ' .. life)
else
  redis.call('HDEL', KEYS[2], 'kept')
  redis.call('UNLINK', KEYS[3])
end
return {'won', number, ids, clean, worked, proven and 1 or 0}
`,
  { whenFull: 'runs' },
);

const releaseScript = new Script(
  'releaseShard',
  `
-- Gives a shard back in order: what waits at the heads of its mailboxes is under no suspicion.
-- KEYS  lease, head, poison commands.
-- ARGV  token, 1 when Redis has lost something: the next owner asks MongoDB.
-- Answers 1 released, 0 it was not the caller's.
-- Atomic because a lease may be deleted by its owner only.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[3])
redis.call('HSET', KEYS[2], 'clean', '1')
if ARGV[2] == '1' then redis.call('HDEL', KEYS[2], 'kept') end
return 1
`,
  { whenFull: 'runs' },
);
