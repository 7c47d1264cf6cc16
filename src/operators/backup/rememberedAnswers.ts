// Answers that are remembered for Idempotency-Keys: a request of before that a client repeats after a restore is answered, and not
// done again. Inside are those of what the backup has for certain, so none tells of what a restore has lost: of accounts those
// up to their shard's cut, outside trading those from before the backup began.

import { isLaterTick } from '../../market/domain/liveMarket.ts';
import { redisTimeMs } from '../../shared/deployment/liveProcesses.ts';
import { idempotencyKeys, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { REMEMBERED_LUA } from '../../shared/redis/rememberedAnswers.ts';
import { Script } from '../../shared/redis/script.ts';
import type { DataFileWriter } from './backupFiles.ts';
import type { Pace } from './pace.ts';

/** Answers that are read together: an answer is some kilobytes, and seldom more. */
const PLACES_AT_ONCE = 20;

/** A row of the file. `shard` null: outside trading. */
export interface AnswerRow {
  readonly shard: number | null;
  readonly place: string;
  readonly owner: string;
  readonly value: string;
  readonly endsAtMs: number;
}

/** Ids of the newest answers that are inside, of each shard, and outside trading. */
export interface AnswersEnds {
  readonly shards: readonly string[];
  readonly outside: string;
}

const putScript = new Script(
  'putAnswer',
  `
-- Puts an answer back that a backup has.
-- KEYS  its place, bytes of remembered answers. ARGV  its record, its life in ms, whose it is, life of a new answer in ms.
-- Atomic because what is remembered must be counted.
${REMEMBERED_LUA}
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSETNX', KEYS[2], '_width', math.max(1, math.floor(ARGV[4] / 24)))
countRemembered(KEYS[2], {place = KEYS[1], owner = ARGV[3], bytes = #ARGV[1], lifeMs = tonumber(ARGV[2])})
return false
`,
);

export class RememberedAnswers {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Id of the newest answer outside trading so far. */
  async end(): Promise<string> {
    const [[id] = ['0-0']] = await this.#redis.xrevrange(idempotencyKeys.places, '+', '-', 'COUNT', 1);
    return id;
  }

  async copy({ file, pace, ends }: { file: DataFileWriter; pace: Pace; ends: AnswersEnds }): Promise<void> {
    const lists = [...ends.shards.map((end, shard) => ({ shard, end })), { shard: null, end: ends.outside }];
    for (const { shard, end } of lists) {
      for await (const row of this.#of(shard, end)) {
        const text = JSON.stringify(row);
        await file.write(text);
        await pace.spend(text.length);
      }
    }
  }

  /** An answer that has ended by now is not put. @param life.ofNewMs how long a new answer is remembered */
  async put({ shard, place, owner, value, endsAtMs }: AnswerRow, life: { nowMs: number; ofNewMs: number }): Promise<void> {
    const leftMs = Math.min(endsAtMs - life.nowMs, life.ofNewMs);
    if (leftMs > 0) await putScript.run(this.#redis, [place, listsOf(shard).bytes], [value, leftMs, owner, life.ofNewMs]);
  }

  /** Removes what was put: for a restore that begins again. */
  async remove(shards: number, { nowMs, ofNewMs }: { nowMs: number; ofNewMs: number }): Promise<void> {
    for (const shard of [...Array(shards).keys(), null]) {
      const { bytes, places } = listsOf(shard);
      for await (const page of this.#placesByPage(places)) {
        await Promise.all(page.map(({ place }) => this.#redis.unlink(place)));
      }
      const [width, oldest] = (await this.#redis.hmget(bytes, '_width', '_oldest')).map(Number) as [number, number];
      const newest = width > 0 ? Math.ceil((nowMs + ofNewMs) / width) : -1;
      for (let ends = oldest; ends <= newest; ends++) await this.#redis.unlink(`${bytes}:${ends}`);
      await this.#redis.unlink(bytes, places);
    }
  }

  /** A place that has another answer since the end tells nothing of what was before. */
  async *#of(shard: number | null, end: string): AsyncGenerator<AnswerRow> {
    const later = new Set<string>();
    for await (const page of this.#placesByPage(listsOf(shard).places)) {
      for (const { id, place } of page) if (isLaterTick(id, end)) later.add(place);
      const nowMs = await redisTimeMs(this.#redis);
      const rows = page.map(async ({ place, owner }): Promise<AnswerRow | undefined> => {
        if (later.has(place)) return undefined;
        const [value, leftMs] = await Promise.all([this.#redis.get(place), this.#redis.pttl(place)]);
        return value === null || leftMs <= 0 ? undefined : { shard, place, owner, value, endsAtMs: nowMs + leftMs };
      });
      for (const row of await Promise.all(rows)) if (row !== undefined) yield row;
    }
  }

  /** Newest first. */
  async *#placesByPage(list: string): AsyncGenerator<readonly Place[]> {
    for (let from = '+'; ; ) {
      const page = await this.#redis.xrevrange(list, from, '-', 'COUNT', PLACES_AT_ONCE);
      yield page.map(([id, [, place = '', , owner = '']]) => ({ id, place, owner }));
      const last = page.at(-1)?.[0];
      if (page.length < PLACES_AT_ONCE || last === undefined) return;
      from = `(${last}`;
    }
  }
}

/** Where an answer is, and whose; `id` is of the stream that names it. */
interface Place {
  readonly id: string;
  readonly place: string;
  readonly owner: string;
}

const listsOf = (shard: number | null): { readonly bytes: string; readonly places: string } =>
  shard === null
    ? { bytes: idempotencyKeys.bytes, places: idempotencyKeys.places }
    : { bytes: shardKeys.answerBytes(shard), places: shardKeys.answerPlaces(shard) };
