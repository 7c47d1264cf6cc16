// Reads every commit as soon as Redis has it, independently of the exchange.
import type { Redis } from 'ioredis';
import type { AccountEntry } from '../../src/actors/core/messages/entry.ts';
import { toCommit } from '../../src/actors/engine/journal/journal.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';

const SHARDS = 16;

type StreamEntry = [id: string, fields: string[]];

/** Tells the entries of each commit from now on; ends with the connection, which does nothing else. */
export async function readJournals(connection: Redis, onEntries: (entries: readonly AccountEntry[]) => void): Promise<void> {
  const keys = Array.from({ length: SHARDS }, (_, shard) => shardKeys.journal(shard));
  const newest = await Promise.all(keys.map((key) => connection.xrevrange(key, '+', '-', 'COUNT', 1)));
  const last = newest.map(([entry]) => entry?.[0] ?? '0-0');
  const readOn = async (): Promise<void> => {
    const streams = (await connection.xread('BLOCK', 0, 'STREAMS', ...keys, ...last)) ?? [];
    for (const [key, commits] of streams as [string, StreamEntry[]][]) {
      last[keys.indexOf(key)] = commits.at(-1)?.[0] ?? '0-0';
      for (const { entries } of commits.map(toCommit)) onEntries(entries);
    }
    await readOn();
  };
  readOn().catch((error: Error) => {
    if (connection.status === 'ready') throw error;
  });
}
