// Entries of halted accounts beside the journal. MongoDB gets no snapshot of an account whose state cannot be trusted,
// so its entries would keep the whole shard's journal from being cut. They are copied to a list of the account's own
// first. Its state is then its snapshot, this list, and what the journal has after it. The list goes when MongoDB has
// had a snapshot beyond it for as long as an entry stays in the journal.
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { readSetAsideLine, type SetAside } from '../../core/messages/setAside.ts';

/** Every account of the shard with entries set aside. */
export async function readSetAsideIndex(redis: Redis, shard: number): Promise<Map<string, SetAside>> {
  const index = await redis.hgetall(shardKeys.setAside(shard));
  return new Map(Object.entries(index).map(([accountId, text]) => [accountId, readSetAsideLine(text)]));
}

/** Entries set aside of those of the accounts that have some, oldest first, unread: one that cannot be read concerns its account alone. */
export async function readSetAside(
  redis: Redis,
  shard: number,
  accountIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (accountIds.length === 0) return found;
  const index = await redis.hmget(shardKeys.setAside(shard), ...accountIds);
  for (const [i, accountId] of accountIds.entries()) {
    if (index[i] === null || index[i] === undefined) continue;
    found.set(accountId, await redis.lrange(shardKeys.entriesSetAside(shard, accountId), 0, -1));
  }
  return found;
}
