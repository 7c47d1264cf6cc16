// Which API node follows the mirrored addresses: the one that has the lease. With the lease comes a number that is higher than all before, by
// which accounts know the commands of an earlier one.
import { marketKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { Script } from '../../shared/redis/script.ts';

const takeScript = new Script(
  'leadMirrors',
  `
-- KEYS  lease, highest term so far.
-- ARGV  token, ttl ms, term of this process or 0.
-- Takes or renews the lease. Answers the term, or 0 when another process has the lease.
-- Atomic, so that no two processes have it, nor one term. A term is at least Redis's clock: it rises though Redis has lost the last.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
local term = tonumber(ARGV[3])
if not holder or term == 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  term = math.max(now, tonumber(redis.call('GET', KEYS[2]) or 0) + 1)
  redis.call('SET', KEYS[2], string.format('%.0f', term))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return term
`,
);

const releaseScript = new Script(
  'leaveMirrors',
  `
-- KEYS  lease.
-- ARGV  token.
-- Gives the lease back. Atomic, so that it never deletes another's.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
);

export class MirrorLease {
  readonly #redis: Redis;
  readonly #token: string;
  readonly #ttlMs: number;
  #term = 0;

  constructor({ redis, token, ttlMs }: { redis: Redis; token: string; ttlMs: number }) {
    this.#redis = redis;
    this.#token = token;
    this.#ttlMs = ttlMs;
  }

  /** @returns the term under which this process leads; undefined while another does */
  async take(): Promise<number | undefined> {
    const keys = [marketKeys.mirrorLease, marketKeys.mirrorTerm];
    this.#term = Number(await takeScript.run(this.#redis, keys, [this.#token, this.#ttlMs, this.#term]));
    return this.#term === 0 ? undefined : this.#term;
  }

  async release(): Promise<void> {
    await releaseScript.run(this.#redis, [marketKeys.mirrorLease], [this.#token]);
  }
}
