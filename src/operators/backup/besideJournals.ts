// What Redis alone has beside the journals and their heads: entries of halted accounts that were set aside, quarantines, parked
// commands, and of the market the funding hours and settlement prices that the venue tells once. All else in Redis is made anew
// or is too young to be missed; docs/data.md says which is which.
import { marketKeys, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { streamPages } from '../acts/shardReads.ts';
import type { DataFileWriter } from './backupFiles.ts';
import type { Pace } from './pace.ts';

/** Fields, and elements of a list or stream, in one answer: some hundred kilobytes of the longest. */
const FIELDS_AT_ONCE = 50;
const ELEMENTS_AT_ONCE = 20;
/** Fields of the market's state that are kept. `status` names the venue: a leader goes on only from one of the same. */
const MARKET_FIELDS = /^(status$|funding:|delisting:)/;

/** A row of the file. */
export type BesideRow =
  | { readonly kind: 'setAside'; readonly shard: number; readonly account: string; readonly line: string }
  | { readonly kind: 'entrySetAside'; readonly shard: number; readonly account: string; readonly entry: string }
  | { readonly kind: 'quarantine'; readonly shard: number; readonly account: string; readonly record: string }
  | { readonly kind: 'deadLetter'; readonly shard: number; readonly id: string; readonly fields: readonly string[] }
  | { readonly kind: 'market'; readonly field: string; readonly change: string };

export class BesideJournals {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** @param options.between is called between rows */
  async copy(options: { shards: number; file: DataFileWriter; pace: Pace; between: () => Promise<void> }): Promise<void> {
    const { shards, file, pace, between } = options;
    for await (const row of this.rows(shards)) {
      const text = JSON.stringify(row);
      await file.write(text);
      await pace.spend(text.length);
      await between();
    }
  }

  async put(row: BesideRow): Promise<void> {
    const redis = this.#redis;
    if (row.kind === 'market') await redis.hset(marketKeys.state, row.field, row.change);
    else if (row.kind === 'setAside') await redis.hset(shardKeys.setAside(row.shard), row.account, row.line);
    else if (row.kind === 'entrySetAside') await redis.rpush(shardKeys.entriesSetAside(row.shard, row.account), row.entry);
    else if (row.kind === 'quarantine') await redis.hset(shardKeys.quarantine(row.shard), row.account, row.record);
    else await redis.xadd(shardKeys.dead(row.shard), row.id, ...row.fields);
  }

  /** Removes all of it, and what a restore writes of journals beside it: for one that begins again. */
  async remove(shards: number): Promise<void> {
    for (let shard = 0; shard < shards; shard++) {
      for await (const [account] of this.#fields(shardKeys.setAside(shard))) {
        await this.#redis.unlink(shardKeys.entriesSetAside(shard, account));
      }
      const names = ['setAside', 'quarantine', 'dead', 'journal', 'head', 'live'] as const;
      await this.#redis.unlink(...names.map((name) => shardKeys[name](shard)));
    }
    await this.#redis.unlink(marketKeys.state);
  }

  /** All that there is. Entries set aside come first: what is cleared of them later is in a snapshot that is read later. */
  async *rows(shards: number): AsyncGenerator<BesideRow> {
    for (let shard = 0; shard < shards; shard++) yield* this.#setAside(shard);
    for (let shard = 0; shard < shards; shard++) {
      for await (const [account, record] of this.#fields(shardKeys.quarantine(shard))) {
        yield { kind: 'quarantine', shard, account, record };
      }
      yield* this.#deadLetters(shard);
    }
    for await (const [field, change] of this.#fields(marketKeys.state)) {
      if (MARKET_FIELDS.test(field)) yield { kind: 'market', field, change };
    }
  }

  async *#setAside(shard: number): AsyncGenerator<BesideRow> {
    for await (const [account, line] of this.#fields(shardKeys.setAside(shard))) {
      yield { kind: 'setAside', shard, account, line };
      const list = shardKeys.entriesSetAside(shard, account);
      for (let from = 0; ; from += ELEMENTS_AT_ONCE) {
        const entries = await this.#redis.lrange(list, from, from + ELEMENTS_AT_ONCE - 1);
        for (const entry of entries) yield { kind: 'entrySetAside', shard, account, entry };
        if (entries.length < ELEMENTS_AT_ONCE) break;
      }
    }
  }

  async *#deadLetters(shard: number): AsyncGenerator<BesideRow> {
    for await (const letters of streamPages(this.#redis, shardKeys.dead(shard), ELEMENTS_AT_ONCE))
      for (const [id, fields] of letters) yield { kind: 'deadLetter', shard, id, fields };
  }

  /** Fields of a hash, each once. */
  async *#fields(key: string): AsyncGenerator<readonly [field: string, value: string]> {
    const seen = new Set<string>();
    let cursor = '0';
    do {
      const [next, found] = await this.#redis.hscan(key, cursor, 'COUNT', FIELDS_AT_ONCE);
      cursor = next;
      for (let i = 0; i < found.length; i += 2) {
        const [field, value] = [found[i] as string, found[i + 1] as string];
        if (seen.has(field)) continue;
        seen.add(field);
        yield [field, value];
      }
    } while (cursor !== '0');
  }
}
