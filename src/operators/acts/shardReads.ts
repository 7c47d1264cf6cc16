// The shards as Redis has them, for operators: which pods own them, and the entries of an account that are not only in MongoDB.
import { type EntryText, splitEntries } from '../../actors/core/messages/entry.ts';
import { type PodStatus, parsePodStatus, shardOwners } from '../../actors/core/messages/podStatus.ts';
import { podKeys, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { OperatorParts } from './operatorParts.ts';

/** Commits read from a journal at once. */
const PAGE_COMMITS = 500;

export const shardNumbers = ({ config }: OperatorParts['billing']): number[] => [...Array(config.SHARDS).keys()];

export const readPods = async (redis: Redis): Promise<PodStatus[]> =>
  Object.entries(await redis.hgetall(podKeys.pods)).map(([podId, value]) => parsePodStatus(podId, value));

/** By number of the shard: its lease, and the pod that has it and has recovered it. */
export async function readOwners({ redis, billing }: Pick<OperatorParts, 'redis' | 'billing'>) {
  const leases = await Promise.all(shardNumbers(billing).map((shard) => redis.get(shardKeys.lease(shard))));
  return { leases, owners: shardOwners(await readPods(redis), leases) };
}

/** Entries of a stream, oldest first, page by page. */
export async function* streamPages(redis: Redis, key: string, count: number): AsyncGenerator<[id: string, fields: string[]][]> {
  for (let from = '-'; ; ) {
    const page = await redis.xrange(key, from, '+', 'COUNT', count);
    yield page;
    const last = page.at(-1)?.[0];
    if (page.length < count || last === undefined) return;
    from = `(${last}`;
  }
}

/** The entries of an account that Redis has, set aside or in the journal, by rising numbers. */
export async function entriesInRedis(
  { redis }: Pick<OperatorParts, 'redis'>,
  { accountId, shard }: { readonly accountId: string; readonly shard: number },
): Promise<EntryText[]> {
  const bySeq = new Map<number, EntryText>();
  const add = (text: string): void => {
    // Most commits are of other accounts, which their text shows.
    if (!text.includes(accountId)) return;
    for (const entry of splitEntries(text)) if (entry.accountId === accountId) bySeq.set(entry.seq, entry);
  };
  for (const line of await redis.lrange(shardKeys.entriesSetAside(shard, accountId), 0, -1))
    add(`[${line.slice(line.indexOf(' ') + 1)}]`);
  for await (const page of streamPages(redis, shardKeys.journal(shard), PAGE_COMMITS))
    for (const [, fields] of page) add(fields[fields.indexOf('e') + 1] ?? '[]');
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}
