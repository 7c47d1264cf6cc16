// Snapshots of the accounts in memory, in Redis beside the journal: `<generation> <seq> <snapshot, deflated>`. An account's
// state is its kept snapshot and the journal's entries after it, so it comes back while MongoDB is away. One rule makes that
// true: the journal is never cut behind what MongoDB has of an account before Redis has kept as much of it, or nothing at all.
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type Format, readableFormat } from '../../../shared/domain/formats.ts';
import { RedisLost } from '../../../shared/errors.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import { REDIS_LIFE_LUA, Script } from '../../../shared/redis/script.ts';
import type { ShardOwner } from '../journal/journal.ts';
import { OWNED_LUA, requireOwned } from '../journal/journalScripts.ts';

/** What a shard keeps at most, bytes: some 11,000 accounts with a few orders each. */
export const SNAPSHOTS_BYTES_MAX = 12 * 1024 * 1024;
/** Field of the hash with the bytes of all others. */
const BYTES = '_bytes';
const SPACE = 0x20;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export interface RedisSnapshot {
  readonly accountId: string;
  readonly seq: number;
  /** As `writeRedisSnapshot` makes it. */
  readonly value: Buffer;
}

/** @param text the snapshot, of generation `format` */
export async function writeRedisSnapshot({ seq, text }: { seq: number; text: string }, format: Format): Promise<Buffer> {
  return Buffer.concat([Buffer.from(`${format} ${seq} `), await deflate(text)]);
}

/**
 * The text of a kept snapshot.
 * @throws {NewerFormat} when a newer build has written it; Error when it is none
 */
export async function readRedisSnapshot(value: Buffer): Promise<string> {
  const afterFormat = value.indexOf(SPACE);
  readableFormat('kept snapshot', Number(value.toString('latin1', 0, afterFormat)));
  return (await inflate(value.subarray(value.indexOf(SPACE, afterFormat + 1) + 1))).toString();
}

/** The kept snapshots of a shard, as its owner reads and writes them. */
export class RedisSnapshots {
  readonly #owner: ShardOwner;

  constructor(owner: ShardOwner) {
    this.#owner = owner;
  }

  /** Accounts of which there is one. */
  async accounts(): Promise<string[]> {
    return (await this.#owner.redis.hkeys(shardKeys.kept(this.#owner.shard))).filter((field) => field !== BYTES);
  }

  /** Those that there are of these accounts. */
  async read(accountIds: readonly string[]): Promise<Map<string, Buffer>> {
    if (accountIds.length === 0) return new Map();
    const values = await this.#owner.redis.hmgetBuffer(shardKeys.kept(this.#owner.shard), ...accountIds);
    return new Map(accountIds.flatMap((accountId, i) => (values[i] ? [[accountId, values[i]]] : [])));
  }

  /**
   * Removes and keeps, a later snapshot for an earlier one; from then on Redis alone proves the shard.
   * @param committed newest commit that Redis has answered this owner
   * @returns accounts that found no room: nothing is kept of them
   * @throws {RedisLost} when Redis has lost that commit
   * @throws {LeaseLost} when the shard has another owner
   * @throws {RetryableError} when the lease ran out and has not been renewed yet
   */
  async keep(committed: number, removed: readonly string[], snapshots: readonly RedisSnapshot[]): Promise<string[]> {
    return await this.#change(committed, removed, snapshots);
  }

  /** Removes one before an operator changes its account. @throws as `keep` */
  async remove(accountId: string): Promise<void> {
    await this.#change('', [accountId], []);
  }

  async #change(committed: number | '', removed: readonly string[], snapshots: readonly RedisSnapshot[]): Promise<string[]> {
    const { redis, shard, token } = this.#owner;
    const keys = [shardKeys.lease(shard), shardKeys.head(shard), shardKeys.kept(shard)];
    const args = [token, Number.parseInt(token, 10), committed, SNAPSHOTS_BYTES_MAX, removed.length, ...removed];
    const each = snapshots.flatMap(({ accountId, seq, value }) => [accountId, seq, value]);
    const [status, ...leftOut] = (await keepScript.run(redis, keys, [...args, ...each])) as [string, ...string[]];
    if (status === 'lost') throw new RedisLost(`Redis has lost commit ${committed} of shard ${shard}.`);
    requireOwned(status, shard);
    return leftOut;
  }
}

/** What Redis needs for a field beside its value, bytes, about: the account's id and the hash's own. */
const FIELD_BYTES = 150;

const keepScript = new Script(
  'keepSnapshots',
  `
-- Keeps snapshots and removes others. With a commit it says that in this life of Redis nothing is missing that this owner
-- was answered.
-- KEYS  lease, head, kept snapshots.
-- ARGV  token, the token's epoch, newest commit that Redis has answered the owner or '', bytes kept at most, number of accounts to be
--       removed, these accounts; then per snapshot: account id, number of its newest entry, value.
-- Answers {'kept', accounts whose snapshots found no room...} | {'lost'} Redis has not got that commit any more
--   | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because only the owner knows what it was answered, and an older snapshot must not replace a later one. An account
-- whose new snapshot finds no room loses the old one: the journal may be cut behind the new one.
${REDIS_LIFE_LUA}
${OWNED_LUA}
local committed = tonumber(ARGV[3])
if committed and tonumber(redis.call('HGET', KEYS[2], 'n') or '0') < committed then return {'lost'} end
local kept = KEYS[3]
local bytes = tonumber(redis.call('HGET', kept, '_bytes') or '0')
local function remove(account)
  local length = redis.call('HSTRLEN', kept, account)
  if length == 0 then return end
  redis.call('HDEL', kept, account)
  bytes = bytes - length - ${FIELD_BYTES}
end
local first = 6 + tonumber(ARGV[5])
for i = 6, first - 1 do remove(ARGV[i]) end
local answer = {'kept'}
for i = first, #ARGV, 3 do
  local account, value = ARGV[i], ARGV[i + 2]
  local old = redis.call('HGET', kept, account)
  local seq = old and tonumber(string.match(old, '^%d+ (%d+) ')) or -1
  if seq < tonumber(ARGV[i + 1]) then
    remove(account)
    if bytes + #value + ${FIELD_BYTES} > tonumber(ARGV[4]) then
      answer[#answer + 1] = account
    else
      redis.call('HSET', kept, account, value)
      bytes = bytes + #value + ${FIELD_BYTES}
    end
  end
end
if bytes > 0 then redis.call('HSET', kept, '_bytes', string.format('%.0f', bytes)) else redis.call('DEL', kept) end
if committed then redis.call('HSET', KEYS[2], 'kept', ARGV[2] .. ' ' .. redisLife()) end
return answer
`,
  { whenFull: 'runs' },
);
