// The venue's answers in Redis, where all API nodes find them. Their number and their bytes are bounded, because clients
// can have any range of candles asked and Redis evicts nothing.
import { marketKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';

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
    let reading = this.#reading.get(digest);
    if (reading === undefined) {
      reading = this.#read(digest).finally(() => this.#reading.delete(digest));
      this.#reading.set(digest, reading);
    }
    return reading;
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
