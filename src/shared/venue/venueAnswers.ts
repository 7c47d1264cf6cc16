// The venue's answers, kept for all API nodes: any answer in Redis, closed candles in MongoDB.
// Redis is where all API nodes find the answers. Their number and their bytes are bounded, because clients
// can have any range of candles asked and Redis evicts nothing.

import type { Collection } from 'mongodb';
import { type Format, type FormatSource, NEWEST_FORMAT } from '../domain/formats.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { Logger } from '../logger.ts';
import { collections, type MongoConnection } from '../mongo/mongo.ts';
import { marketKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';
import { sharedWork, withTimeout } from '../waiting.ts';
import type { CountCandleChunks } from './venueBudget.ts';

/** An answer larger than this is passed on but not kept; 5,000 candles are 700 kB. */
const ANSWER_BYTES_MAX = 1_000_000;
/** All of them together, the newest. */
const ANSWERS_MAX = 200;
const BYTES_MAX = 32_000_000;

const rememberScript = new Script(
  'rememberVenueAnswer',
  `
-- KEYS  the answer; index of answers by time; their bytes, with 'all' for the sum.
-- ARGV  JSON, life ms, now ms, answers at most, bytes at most.
-- Keeps an answer and removes the oldest beyond the bounds; answers their number.
-- Atomic, so that no answer stays behind unknown to the index.
local bytes = string.len(ARGV[1])
local before = tonumber(redis.call('HGET', KEYS[3], KEYS[1]) or 0)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], KEYS[1])
redis.call('HSET', KEYS[3], KEYS[1], bytes)
local all = redis.call('HINCRBY', KEYS[3], 'all', bytes - before)
local removed = 0
while redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[4]) or all > tonumber(ARGV[5]) do
  local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
  if not oldest then break end
  all = redis.call('HINCRBY', KEYS[3], 'all', -tonumber(redis.call('HGET', KEYS[3], oldest) or 0))
  redis.call('HDEL', KEYS[3], oldest)
  redis.call('DEL', oldest)
  removed = removed + 1
end
return removed
`,
);

/** An answer of the venue, or its refusal of the question. */
export type Kept = { readonly atMs: number; readonly answer: unknown } | { readonly atMs: number; readonly refused: string };

export class AnswerCache {
  readonly #redis: Redis;
  readonly #bytesMax: number;
  readonly #reading = new Map<string, Promise<Kept | undefined>>();

  /** @param options.bytesMax of all answers together */
  constructor({ redis, bytesMax = BYTES_MAX }: { redis: Redis; bytesMax?: number }) {
    this.#redis = redis;
    this.#bytesMax = bytesMax;
  }

  /** Callers that ask at once share one look-up, for a large answer takes milliseconds to parse. */
  read(digest: string): Promise<Kept | undefined> {
    return sharedWork(this.#reading, digest, () => this.#read(digest));
  }

  /** @param lifeMs after which it is gone */
  async keep(digest: string, kept: Kept, lifeMs: number): Promise<void> {
    const json = JSON.stringify(kept);
    if (Buffer.byteLength(json) > ANSWER_BYTES_MAX) return;
    const keys = [marketKeys.answer(digest), marketKeys.answers, marketKeys.answersBytes];
    await rememberScript.run(this.#redis, keys, [json, lifeMs, kept.atMs, ANSWERS_MAX, this.#bytesMax]);
  }

  async #read(digest: string): Promise<Kept | undefined> {
    const stored = await this.#redis.get(marketKeys.answer(digest));
    return stored === null ? undefined : (JSON.parse(stored) as Kept);
  }
}

// Closed candles for the whole deployment, in chunks: only candles that a caller asked for, and at most so many bytes. Chunks that no
// caller has wanted for the longest time go first. Their loss costs nothing: the API asks the venue again. So the API gives MongoDB three
// seconds, and leaves it alone for a while when it does not answer.

const ANSWER_MS_MAX = 3000;
const AWAY_MS = 5000;
/** How seldom it is noted that a chunk was wanted, ms. */
const USED_EVERY_MS = HOUR_MS;
/** No chunk has more, bytes: while so few are kept that they cannot be too many, a look is a count. */
const CHUNK_BYTES_MAX = 100_000;
/**
 * Else it reads each chunk: of 200 MB it took 3 to 12 s on the store of `bin/start`, and reads beside it waited. So it comes after each 16th of
 * the bytes that a process writes ...
 */
const LOOKS_OF_ALL_BYTES = 16;
/** ... and a chunk counts as this many bytes at least: a write has 16 chunks read on average, however small they are. */
const CHUNK_BYTES_MIN = 2000;

/** A chunk as MongoDB has it. Builds that do not know its generation ask the venue and write it again. */
export interface CandleChunkDocument {
  /** `<market>/<coin>/<interval>/<start>`. */
  readonly _id: string;
  readonly v: Format;
  /** The chunk as JSON. */
  readonly text: string;
  readonly bytes: number;
  readonly usedAt: Date;
}

export function chunkDocument(_id: string, chunk: object, { nowMs, v }: { nowMs: number; v: Format }): CandleChunkDocument {
  const text = JSON.stringify(chunk);
  return { _id, v, text, bytes: Math.max(CHUNK_BYTES_MIN, Buffer.byteLength(text)), usedAt: new Date(nowMs) };
}

/** @returns undefined of a newer generation than this build knows */
export const readChunkDocument = ({ v, text }: CandleChunkDocument): unknown =>
  v <= NEWEST_FORMAT ? JSON.parse(text) : undefined;

interface CandleStoreParts {
  readonly log: Logger;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  /** Which market the candles are of: those of an emulated one are no other's. */
  readonly market: string;
  readonly bytesMax: number;
  readonly now: () => number;
  readonly count?: CountCandleChunks;
}

export class CandleStore {
  readonly #parts: CandleStoreParts;
  readonly #chunks: Collection<CandleChunkDocument>;
  #awayUntilMs = 0;
  /** The first write of a process looks at once. */
  #writtenBytes = Number.POSITIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #index: Promise<unknown> | undefined;

  constructor(parts: CandleStoreParts) {
    this.#parts = parts;
    this.#chunks = parts.mongo.db.collection<CandleChunkDocument>(collections.candles);
  }

  /** The chunks that are kept, by their names; none while MongoDB is away. @param names `<coin>/<interval>/<start>` */
  async read(names: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const ids = names.map((name) => this.#idOf(name));
    const stored = await this.#try(() => this.#chunks.find({ _id: { $in: ids } }).toArray());
    const found = stored?.filter(({ v }) => v === NEWEST_FORMAT);
    this.#parts.count?.('kept', found?.length ?? 0);
    this.#parts.count?.('missing', names.length - (found?.length ?? 0));
    const seldomMs = this.#parts.now() - USED_EVERY_MS;
    if (found?.some(({ usedAt }) => usedAt.getTime() < seldomMs))
      void this.#try(() => this.#chunks.updateMany({ _id: { $in: ids } }, { $set: { usedAt: new Date(this.#parts.now()) } }));
    return new Map(
      (found ?? []).map((document) => [document._id.slice(this.#parts.market.length + 1), readChunkDocument(document)]),
    );
  }

  /** Keeps a chunk, in place of what is kept under its name. */
  async keep(name: string, chunk: object): Promise<void> {
    const { formats, now } = this.#parts;
    const { _id, ...fields } = chunkDocument(this.#idOf(name), chunk, { nowMs: now(), v: formats.current });
    await this.#try(() => this.#chunks.updateOne({ _id }, { $set: fields }, { upsert: true }));
    this.#writtenBytes += fields.bytes;
    if (this.#writtenBytes < this.#parts.bytesMax / LOOKS_OF_ALL_BYTES || this.#looking !== undefined) return;
    this.#writtenBytes = 0;
    this.#looking = this.removeBeyond()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'candles beyond their bytes could not be removed'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Removes what is beyond the bytes, the longest unused first. */
  async removeBeyond(): Promise<void> {
    if ((await this.#chunks.estimatedDocumentCount()) * CHUNK_BYTES_MAX <= this.#parts.bytesMax) return;
    this.#index ??= this.#chunks.createIndex({ usedAt: 1, bytes: 1 });
    await this.#index.catch((error: unknown) => {
      this.#index = undefined;
      throw error;
    });
    let left = this.#parts.bytesMax;
    const beyond: string[] = [];
    for await (const { _id, bytes } of this.#chunks.find({}, { projection: { bytes: 1, usedAt: 1 } }).sort({ usedAt: -1 })) {
      left -= bytes;
      if (left < 0) beyond.push(_id);
    }
    if (beyond.length > 0) await this.#chunks.deleteMany({ _id: { $in: beyond } });
  }

  #idOf(name: string): string {
    return `${this.#parts.market}/${name}`;
  }

  async #try<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    const { log, now } = this.#parts;
    if (now() < this.#awayUntilMs) return undefined;
    try {
      return await withTimeout(ANSWER_MS_MAX, 'MongoDB', work());
    } catch (error) {
      this.#awayUntilMs = now() + AWAY_MS;
      log.warn({ err: error }, 'candles are neither kept nor read for a while: the venue is asked for them');
      return undefined;
    }
  }
}
