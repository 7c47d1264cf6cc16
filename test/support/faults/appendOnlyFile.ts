// Redis's append-only file for a test: its length at each time, the data that a Redis reads from it, and the same
// file without its end, as a machine leaves it that lost power before the disk had everything.
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { JournalCommit } from '../../../src/actors/core/history/historyDocuments.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { openRedis, startRedis } from '../stores.ts';
import { readJournal } from './journalTap.ts';

const LOOK_EVERY_MS = 50;

/** The part of the multi-part AOF that is being written: the newest of its increments. */
export function incrementOf(dataDir: string): string {
  const dir = join(dataDir, 'appendonlydir');
  const number = (name: string): number => Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? 0);
  const [newest] = readdirSync(dir)
    .filter((name) => name.endsWith('.incr.aof'))
    .sort((a, b) => number(b) - number(a));
  if (newest === undefined) throw new Error(`no increment in ${dir}`);
  return join(dir, newest);
}

/** Writes down how long the file was when. */
export class GrowthOfFile {
  readonly #looks: { readonly atMs: number; readonly bytes: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(file: string) {
    this.#timer = setInterval(() => this.#looks.push({ atMs: Date.now(), bytes: statSync(file).size }), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Length at a time, or at the first look after it. */
  bytesAt(timeMs: number): number {
    const look = this.#looks.find(({ atMs }) => atMs >= timeMs) ?? this.#looks.at(-1);
    if (look === undefined) throw new Error('the file was never looked at');
    return look.bytes;
  }
}

export const cutTo = (file: string, bytes: number): void => truncateSync(file, bytes);

/** The journals' entries when a Redis loads a copy of this folder, cut to `bytes` if given; `ends` as XINFO says them. */
export async function journalsIn(
  dataDir: string,
  options: { shards: number; bytes?: number },
): Promise<{ commits: JournalCommit[][]; ends: number[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'paper-aof-'));
  // Only this: beside it a killed Redis leaves its socket, which cannot be copied.
  cpSync(join(dataDir, 'appendonlydir'), join(dir, 'appendonlydir'), { recursive: true });
  if (options.bytes !== undefined) cutTo(incrementOf(dir), options.bytes);
  const store = await startRedis({ dir });
  const redis = openRedis(store.url);
  try {
    const shards = Array.from({ length: options.shards }, (_, shard) => shard);
    const commits = await Promise.all(shards.map((shard) => readJournal(redis, shard)));
    const ends = await Promise.all(shards.map((shard) => endOf(redis, shard)));
    return { commits, ends };
  } finally {
    redis.disconnect();
    await store.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function endOf(redis: Redis, shard: number): Promise<number> {
  const journal = shardKeys.journal(shard);
  if ((await redis.exists(journal)) === 0) return 0;
  const info = (await redis.xinfo('STREAM', journal)) as unknown[];
  return Number.parseInt(String(info[info.indexOf('last-generated-id') + 1]), 10);
}
