// The journals of a backup: reads the journal of a shard from outside, as long as its owner goes on writing and cutting it, and copies it.
// A page says how many entries the journal has ever had and how many it has left: so the reader notices when it has missed something.

import { performance } from 'node:perf_hooks';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { REDIS_LIFE_LUA, Script } from '../../shared/redis/script.ts';
import { Refused } from '../acts/operatorParts.ts';
import type { DataFileWriter } from './backupFiles.ts';
import type { ShardCut } from './manifest.ts';
import type { Pace } from './pace.ts';

/** Text wanted in one page, characters: Redis serves nobody else while it reads one, a fraction of a millisecond. */
const PAGE_CHARS = 128 * 1024;
const PAGE_COMMITS_MIN = 4;
const PAGE_COMMITS_MAX = 512;

const readScript = new Script(
  'readJournalForBackup',
  `
-- Reads a stretch of a journal without owning the shard.
-- KEYS  journal, head, places of remembered answers.
-- ARGV  where the stretch begins, as XRANGE takes it, entries wanted at most.
-- Answers {entries, head as field and value in turn, id of the newest entry that there has ever been, entries that there have
--     ever been, entries that are there, life of Redis, id of the newest of the places}.
-- Atomic because entries, head and counts say something only of one moment.
${REDIS_LIFE_LUA}
local found = {['last-generated-id'] = '0-0', ['entries-added'] = 0, length = 0}
if redis.call('EXISTS', KEYS[1]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do if found[info[i]] then found[info[i]] = info[i + 1] end end
end
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
newest = newest and newest[1] or '0-0'
return {entries, redis.call('HGETALL', KEYS[2]), found['last-generated-id'], found['entries-added'], found.length, redisLife(), newest}
`,
);

/** One commit as the stream has it. */
export interface JournalRow {
  readonly shard: number;
  /** `<commit number>-0` */
  readonly id: string;
  /** Names and values in turn. */
  readonly fields: readonly string[];
}

interface JournalStretch {
  readonly rows: readonly JournalRow[];
  readonly chars: number;
  /** No later commit has entries. */
  readonly reachesEnd: boolean;
  /** Number of the newest commit that the journal has ever held. */
  readonly end: number;
}

export class JournalReader {
  readonly #redis: Redis;
  readonly #shard: number;
  #from = '-';
  #count = PAGE_COMMITS_MIN;
  /** How many entries that the journal has ever had are read or were cut before the first page; undefined before it. */
  #position: number | undefined;
  #life = '';
  #cut: ShardCut | undefined;
  #answersEnd = '0-0';

  constructor(redis: Redis, shard: number) {
    this.#redis = redis;
    this.#shard = shard;
  }

  /** The shard as of the newest page that reached the journal's end. */
  get cut(): ShardCut {
    if (this.#cut === undefined) throw new Error(`The journal of shard ${this.#shard} has not been read to its end.`);
    return this.#cut;
  }

  /** Id of the newest of the remembered answers (`shardKeys.answerPlaces`) as of the cut. */
  get answersEnd(): string {
    return this.#answersEnd;
  }

  /**
   * @param options.mayMiss commits that are cut before they are read are not missed: MongoDB has what they did, and is read later
   * @returns the commits after those of before
   * @throws {Refused} when some are missing
   */
  async next({ mayMiss = false }: { mayMiss?: boolean } = {}): Promise<JournalStretch> {
    const shard = this.#shard;
    const answer = await readScript.run(
      this.#redis,
      [shardKeys.journal(shard), shardKeys.head(shard), shardKeys.answerPlaces(shard)],
      [this.#from, this.#count],
    );
    const [entries, headFields, lastId, added, length, life, answersEnd] = answer as Answer;
    const position = this.#reach(added - length, { life, mayMiss });
    const rows = entries.map(([id, fields]) => ({ shard, id, fields }));
    const chars = rows.reduce((sum, row) => sum + charsOf(row), 0);
    const reachesEnd = rows.length < this.#count;
    this.#position = position + rows.length;
    const last = rows.at(-1);
    if (last !== undefined) {
      this.#from = `(${last.id}`;
      const fitting = Math.floor((PAGE_CHARS * rows.length) / Math.max(chars, 1));
      this.#count = Math.min(Math.max(fitting, PAGE_COMMITS_MIN), PAGE_COMMITS_MAX);
    }
    if (reachesEnd) [this.#cut, this.#answersEnd] = [toCut(shard, headFields, lastId), answersEnd];
    return { rows, chars, reachesEnd, end: commitOf(lastId) };
  }

  /** All commits to the journal's end, within the pace. @throws {Refused} when some are missing */
  async *rows(pace: Pace): AsyncGenerator<JournalRow> {
    for (let reachesEnd = false; !reachesEnd; ) {
      const page = await this.next();
      yield* page.rows;
      await pace.spend(page.chars);
      ({ reachesEnd } = page);
    }
  }

  /**
   * @param removed how many entries have been cut from the journal in its whole life
   * @returns how many lie before the page
   */
  #reach(removed: number, { life, mayMiss }: { life: string; mayMiss: boolean }): number {
    if (this.#position === undefined) [this.#position, this.#life] = [removed, life];
    if (life !== this.#life)
      throw new Refused('Redis was started again or failed over meanwhile, and may have lost its last moments: begin again.');
    if (removed <= this.#position) return this.#position;
    if (mayMiss) return removed;
    throw new Refused(`The journal of shard ${this.#shard} was cut faster than it was read: begin again, with a higher --rate.`);
  }
}

type Answer = readonly [
  entries: readonly (readonly [id: string, fields: readonly string[]])[],
  head: readonly string[],
  lastId: string,
  added: number,
  length: number,
  life: string,
  answersEnd: string,
];

/** Commit number in the id of a journal entry. */
export const commitOf = (id: string): number => Number.parseInt(id, 10);

export const charsOf = ({ fields }: JournalRow): number => fields.reduce((sum, field) => sum + field.length, 0);

function toCut(shard: number, headFields: readonly string[], lastId: string): ShardCut {
  const head = new Map<string, string>();
  for (let i = 0; i < headFields.length; i += 2) head.set(headFields[i] as string, headFields[i + 1] as string);
  const number = (field: string): number => Number(head.get(field) ?? 0);
  return {
    ...{ shard, commit: number('n'), epoch: number('epoch'), idCounter: number('ids') },
    ...{ tick: head.get('tick') ?? '0-0', atMs: number('atMs'), end: commitOf(lastId) },
  };
}

/** How often journals are looked at between other work, ms: an entry stays in a journal for longer. */
const LOOK_EVERY_MS = 1000;

/**
 * Copies all journals into the backup: first what is there, and then, as long as the rest of the backup takes, what is committed
 * meanwhile. So nothing is missing that the owners cut before the end, and the last page of each shard is its cut.
 */
export class JournalCopy {
  readonly #readers: readonly JournalReader[];
  /** Those that have what their journals had at first. */
  readonly #begun: JournalReader[] = [];
  readonly #file: DataFileWriter;
  readonly #pace: Pace;
  /** Nothing that is cut from now on may be missed. */
  #isBegun = false;
  #lookedAt = 0;
  #chars = 0;

  constructor(parts: { redis: Redis; shards: number; file: DataFileWriter; pace: Pace }) {
    this.#readers = Array.from({ length: parts.shards }, (_, shard) => new JournalReader(parts.redis, shard));
    this.#file = parts.file;
    this.#pace = parts.pace;
  }

  /** Characters copied. */
  get chars(): number {
    return this.#chars;
  }

  get cuts(): readonly ShardCut[] {
    return this.#readers.map(({ cut }) => cut);
  }

  /** As `JournalReader.answersEnd`, of each shard. */
  get answersEnds(): readonly string[] {
    return this.#readers.map(({ answersEnd }) => answersEnd);
  }

  /**
   * Copies what every journal has now, within the pace. To be called first: what an owner cuts once it has resolved is copied before,
   * and what was cut before has to be read from MongoDB from then on.
   */
  async begin(): Promise<void> {
    for (const reader of this.#readers) {
      let wanted: number | undefined;
      for (let copied = 0; ; ) {
        const stretch = await this.#copyNext(reader);
        await this.#pace.spend(stretch.chars);
        wanted ??= stretch.end;
        copied = commitOf(stretch.rows.at(-1)?.id ?? String(copied));
        if (stretch.reachesEnd || copied >= wanted) break;
        await this.keepUp();
      }
      this.#begun.push(reader);
    }
    this.#isBegun = true;
  }

  /** Copies what was committed since, if that is due: to be called between other pieces of work. @throws as `toEnd` */
  async keepUp(): Promise<void> {
    if (performance.now() - this.#lookedAt >= LOOK_EVERY_MS) await this.toEnd();
  }

  /**
   * Copies every journal to its end, as fast as it goes: it has grown by what is traded in a moment.
   * @throws {Refused} when something was cut before it was read
   */
  async toEnd(): Promise<void> {
    for (const reader of this.#begun) {
      while (!(await this.#copyNext(reader)).reachesEnd);
    }
    this.#lookedAt = performance.now();
  }

  async #copyNext(reader: JournalReader): Promise<JournalStretch> {
    const stretch = await reader.next({ mayMiss: !this.#isBegun });
    for (const row of stretch.rows) await this.#file.write(JSON.stringify(row));
    this.#chars += stretch.chars;
    return stretch;
  }
}
