// The venue's rule of nonces, for keys whose failure lab asks for it: a nonce is new, above the least of the key's 100 highest, and no
// more than two days old or one day ahead. Nonces that a refused action has used are used.

import { storeUnavailable } from '../../api/accounts/commandErrors.ts';
import { unreadable } from '../../api/http/requestReader.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { labNoncesKey } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { Script } from '../../shared/redis/script.ts';

/** How far a nonce may lie before and after exchange time, ms: neither bound is allowed itself. */
const BEHIND_MS = 2 * DAY_MS;
const AHEAD_MS = DAY_MS;
const KEPT = 100;

const useNonceScript = new Script(
  'useNonce',
  `
-- KEYS  sorted set of the nonces that a key has used, the ${KEPT} highest.
-- ARGV  nonce; how long the set outlives its last use, ms.
-- Answers {verdict, nonce}: used; duplicate; low, with the least of the set, which is full.
-- Atomic, because two nodes that look first and write later would both take one nonce.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return {'duplicate', ARGV[1]} end
if redis.call('ZCARD', KEYS[1]) >= ${KEPT} then
  local least = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if tonumber(ARGV[1]) < tonumber(least) then return {'low', least} end
  redis.call('ZREM', KEYS[1], least)
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'used', ARGV[1]}
`,
);

/**
 * Uses a nonce up.
 * @param use.run of the key's profile; `nowMs` exchange time
 * @returns the venue's refusal; undefined = the nonce may be used
 * @throws {RequestError} 400 for a nonce that is no whole number, 503 when Redis cannot keep it; nothing was done
 */
export async function nonceRefusal(
  redis: Redis,
  { nonce, run, nowMs }: { readonly nonce: unknown; readonly run: string; readonly nowMs: number },
): Promise<string | undefined> {
  if (typeof nonce !== 'number' || !Number.isSafeInteger(nonce) || nonce < 0) {
    throw unreadable('nonce must be a whole number');
  }
  const [least, most] = [nowMs - BEHIND_MS, nowMs + AHEAD_MS];
  if (nonce <= least) return `Invalid nonce: nonce too low ${nonce} < ${least}`;
  if (nonce >= most) return `Invalid nonce: nonce too high ${nonce} > ${most}`;
  const [verdict, other] = await use(redis, labNoncesKey(run), nonce);
  if (verdict === 'used') return undefined;
  return `Invalid nonce: ${verdict === 'duplicate' ? `duplicate nonce ${nonce}` : `nonce too low ${nonce} < ${other}`}`;
}

async function use(redis: Redis, key: string, nonce: number): Promise<[verdict: 'used' | 'duplicate' | 'low', nonce: string]> {
  try {
    return (await useNonceScript.run(redis, [key], [nonce, BEHIND_MS + AHEAD_MS])) as Awaited<ReturnType<typeof use>>;
  } catch (cause) {
    const error = storeUnavailable();
    error.cause = cause;
    throw error;
  }
}
