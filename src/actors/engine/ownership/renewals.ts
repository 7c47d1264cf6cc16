// Renews the leases of a pod's shards at regular times. On a cluster they lie on several nodes: each is asked by itself, and waits
// neither for a node that does not answer nor for the pod's heartbeat, so a node that is away ends no lease of another one.
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import type { Lease } from './lease.ts';

const renewScript = new Script(
  'renewLeases',
  `
-- Renews leases; one that ran out and that no other pod has taken since is renewed under the same token. A take that Redis has lost may
-- have been followed by another of the same epoch: then their tokens differ.
-- KEYS  lease and head of each shard, in turn.
-- ARGV  lease life in ms, then for each shard: token, the token's epoch.
-- Answers for each shard: 1 renewed, 0 lost: another owner has or had it.
-- Atomic because between reading a lease and writing it another pod could take it.
local function renewed(lease, head, token, epoch)
  local owner = redis.call('GET', lease)
  if owner == token then
    redis.call('PEXPIRE', lease, ARGV[1])
    return 1
  end
  local taken = redis.call('HMGET', head, 'epoch', 'by')
  if owner or taken[1] ~= epoch or (taken[2] and taken[2] ~= token) then return 0 end
  redis.call('SET', lease, token, 'PX', ARGV[1])
  return 1
end
local answer = {}
for i = 1, #KEYS, 2 do answer[#answer + 1] = renewed(KEYS[i], KEYS[i + 1], ARGV[i + 1], ARGV[i + 2]) end
return answer
`,
  { whenFull: 'runs' },
);

/** `regained`: its term had ended here, and no other pod has it. `lost`: for good. */
export type Renewal = 'held' | 'regained' | 'lost';

/** @returns what has become of each; one call for all: on a cluster one lease only */
export async function renewLeases(redis: Redis, leases: readonly Lease[], ttlMs: number): Promise<readonly Renewal[]> {
  if (leases.length === 0) return [];
  const keys = leases.flatMap(({ shard }) => [shardKeys.lease(shard), shardKeys.head(shard)]);
  const args = leases.flatMap(({ token, epoch }) => [token, epoch]);
  const askedAt = performance.now();
  const answers = (await renewScript.run(redis, keys, [ttlMs, ...args])) as readonly number[];
  return leases.map(({ term }, i) => {
    if (answers[i] !== 1) return 'lost';
    return term.renewed(askedAt) ? 'regained' : 'held';
  });
}

export interface RenewalsParts {
  readonly redis: Redis;
  readonly log: Logger;
  readonly ttlMs: number;
  readonly everyMs: number;
}

export interface LeaseHolder {
  /** What it has at the moment. */
  readonly shards: readonly { readonly lease: Lease }[];
  onRenewal(lease: Lease, renewal: Renewal): void;
}

export class Renewals {
  readonly #parts: RenewalsParts;
  readonly #holder: LeaseHolder;
  /** Leases that Redis was asked for and has not answered. */
  readonly #asked = new Set<Lease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RenewalsParts, holder: LeaseHolder) {
    this.#parts = parts;
    this.#holder = holder;
  }

  start(): void {
    this.#timer = setInterval(() => this.renew(), this.#parts.everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Asks for all leases that are not asked for already. */
  renew(): void {
    const { redis } = this.#parts;
    const due = this.#holder.shards.map(({ lease }) => lease).filter((lease) => !this.#asked.has(lease));
    if (redis.isCluster) for (const lease of due) void this.#ask([lease]);
    else if (due.length > 0) void this.#ask(due);
  }

  /** Never rejects. */
  async #ask(leases: readonly Lease[]): Promise<void> {
    const { redis, log, ttlMs } = this.#parts;
    for (const lease of leases) this.#asked.add(lease);
    try {
      const renewals = await renewLeases(redis, leases, ttlMs);
      for (const [i, lease] of leases.entries()) this.#holder.onRenewal(lease, renewals[i] as Renewal);
    } catch (error) {
      log.warn({ err: error, shards: leases.map(({ shard }) => shard) }, 'leases could not be renewed');
    }
    for (const lease of leases) this.#asked.delete(lease);
  }
}
