// Asks Redis which version of an account is true now. All questions of a turn of the event loop are one script call, sent
// after the last of them came, on the master: an account whose order is acknowledged has no version of before it, for any node.
import { getOrMake } from '../../../shared/domain/groups.ts';
import { shardOf } from '../../../shared/domain/shards.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import { withTimeout } from '../../../shared/waiting.ts';

/** Accounts in one script call: Redis serves no other call while it runs (about 1 µs each). */
const ACCOUNTS_MAX = 1000;
/** A call without an answer this long tells nothing: the account is asked, ms. */
const ANSWER_WITHIN_MS = 1000;

/** The state of an account that is its newest: the entry that it is of, by the owner that committed it. */
export interface Version {
  /** `<token of the lease>:<random>`: no two recoveries have the same. */
  readonly token: string;
  readonly seq: number;
}

/** `unknown`: Redis did not say. */
export type VersionNow = Version | 'none' | 'unknown';

/** Who waits for an account's version. */
type Waiting = Map<string, ((version: VersionNow) => void)[]>;

export class VersionReader {
  readonly #redis: Redis;
  readonly #shards: number;
  /** Of this turn, by shard. */
  #byShard = new Map<number, Waiting>();
  #accounts = 0;

  constructor(redis: Redis, { SHARDS }: { readonly SHARDS: number }) {
    this.#redis = redis;
    this.#shards = SHARDS;
  }

  /** The version that was true at a moment after this call; `none` while no view of the account is. Never throws. */
  read(accountId: string): Promise<VersionNow> {
    if (this.#redis.status !== 'ready') return Promise.resolve('unknown');
    return new Promise((resolve) => {
      if (this.#accounts === 0) setImmediate(() => this.#send());
      const shard = shardOf(accountId, this.#shards);
      const waiting = getOrMake(this.#byShard, shard, (): Waiting => new Map());
      const others = waiting.get(accountId);
      if (others !== undefined) {
        others.push(resolve);
        return;
      }
      waiting.set(accountId, [resolve]);
      this.#accounts += 1;
      if (this.#accounts >= ACCOUNTS_MAX) this.#send();
    });
  }

  #send(): void {
    if (this.#accounts === 0) return;
    const asked = [...this.#byShard];
    this.#byShard = new Map();
    this.#accounts = 0;
    // A call may touch one slot only in a cluster; a single Redis takes all shards in one.
    if (this.#redis.isCluster) for (const one of asked) void this.#ask([one]);
    else void this.#ask(asked);
  }

  async #ask(asked: readonly (readonly [shard: number, waiting: Waiting])[]): Promise<void> {
    const keys = asked.flatMap(([shard]) => [shardKeys.lease(shard), shardKeys.versions(shard)]);
    const args = asked.flatMap(([, waiting]) => [waiting.size, ...waiting.keys()]);
    let answer: readonly (string | null | readonly (string | null)[])[] | undefined;
    try {
      const call = versionsScript.run(this.#redis, keys, args) as Promise<NonNullable<typeof answer>>;
      answer = await withTimeout(ANSWER_WITHIN_MS, 'reading versions', call);
    } catch {
      // The account is asked then, and its answer says what is wrong.
    }
    for (const [i, [, waiting]] of asked.entries()) {
      const lease = answer?.[2 * i] as string | null | undefined;
      const [owner, ...versions] = (answer?.[2 * i + 1] ?? []) as readonly (string | null)[];
      for (const [j, told] of [...waiting.values()].entries()) {
        const version = answer === undefined ? 'unknown' : versionOf(lease, owner, versions[j]);
        for (const tell of told) tell(version);
      }
    }
  }
}

/** What an owner wrote whose lease has ended is no longer true: another one may have gone on. */
function versionOf(
  lease: string | null | undefined,
  owner: string | null | undefined,
  seq: string | null | undefined,
): VersionNow {
  return seq && owner && lease && owner.startsWith(`${lease}:`) ? { token: owner, seq: Number(seq) } : 'none';
}

/** Reads the versions of many accounts at once (`shardKeys.versions`). */
const TEXT = `
-- Reads which accounts' views are true. One step, so that lease, owner and versions are of one moment.
-- KEYS  lease and versions of each shard, in turn.
-- ARGV  for each shard: number of accounts, their ids.
-- Answers for each shard: the lease (nil = no owner), the owner that wrote the versions, then each account's version (nil = none).
local answer = {}
local at = 1
for i = 1, #KEYS, 2 do
  local last = at + tonumber(ARGV[at])
  answer[#answer + 1] = redis.call('GET', KEYS[i])
  answer[#answer + 1] = redis.call('HMGET', KEYS[i + 1], '_owner', unpack(ARGV, at + 1, last))
  at = last + 1
end
return answer
`;

const versionsScript = new Script('viewVersions', TEXT);
