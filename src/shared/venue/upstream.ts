// Passes market-wide questions that only the venue can answer (candles, funding history, spot metadata …) on to it,
// with a cache in Redis that all API nodes share. Answers are the venue's JSON; this file reads nothing in them.
import { createHash } from 'node:crypto';
import { RetryableError, TerminalError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { marketKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { requestInfo } from './requestInfo.ts';

/** A cached answer is kept this long beyond its time, and used while the venue is away. */
const STALE_MS = 86_400_000;
/** A year of candles takes a busy venue some seconds. */
const TIMEOUT_MS = 10_000;
/** Requests to the venue at once from one node; a further one is refused, so that no queue grows without bound. */
const IN_FLIGHT_MAX = 32;
/** An answer larger than this is passed on but not cached; 5,000 candles are 700 kB. */
const CACHED_BYTES_MAX = 1_000_000;
/** Cached answers in all, the newest: clients can ask for any range of candles, and Redis evicts nothing. */
const CACHED_MAX = 200;
/** After a failure a question is not sent again for this long, ms. */
const FAILED_MS = 1000;

// Caches an answer and removes the oldest beyond the bound. KEYS answer, index (sorted set of answers by time); ARGV
// JSON, life ms, now ms, bound. One script, so that no answer stays behind unknown to the index.
const REMEMBER = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], KEYS[1])
local oldest = redis.call('ZRANGE', KEYS[2], 0, -1 - tonumber(ARGV[4]))
for _, key in ipairs(oldest) do redis.call('DEL', key) end
if #oldest > 0 then redis.call('ZREM', KEYS[2], unpack(oldest)) end
return #oldest
`;

interface Cached {
  readonly atMs: number;
  readonly answer: unknown;
}

export class Upstream {
  readonly #log: Logger;
  readonly #redis: Redis;
  readonly #url: string;
  readonly #now: () => number;
  readonly #inFlight = new Map<string, Promise<unknown>>();
  readonly #failedUntilMs = new Map<string, number>();

  /** @param options.url base address of the venue's protocol (MARKET_URL) */
  constructor(options: { log: Logger; redis: Redis; url: string; now: () => number }) {
    this.#log = options.log;
    this.#redis = options.redis;
    this.#url = options.url;
    this.#now = options.now;
  }

  /**
   * The venue's answer to an `info` request, at most `ttlMs` old, or older when the venue is away.
   * @param body the request; equal bodies (same fields in the same order) share one answer
   * @throws {RetryableError} when the venue is away and nothing is remembered
   * @throws {TerminalError} when the venue refuses the request
   */
  info(body: object, { ttlMs }: { ttlMs: number }): Promise<unknown> {
    const text = JSON.stringify(body);
    const known = this.#inFlight.get(text);
    if (known !== undefined) return known;
    const answer = this.#answer(body, text, ttlMs).finally(() => this.#inFlight.delete(text));
    this.#inFlight.set(text, answer);
    return answer;
  }

  async #answer(body: object, text: string, ttlMs: number): Promise<unknown> {
    const key = marketKeys.rest(createHash('sha256').update(text).digest('base64url').slice(0, 22));
    const stored = await this.#redis.get(key);
    const cached = stored === null ? undefined : (JSON.parse(stored) as Cached);
    if (cached !== undefined && this.#now() - cached.atMs < ttlMs) return cached.answer;
    try {
      const answer = await this.#request(body, text);
      await this.#remember(key, answer, ttlMs);
      return answer;
    } catch (error) {
      if (cached === undefined || error instanceof TerminalError) throw error;
      this.#log.debug({ request: text.slice(0, 200), reason: String(error) }, 'upstream is away, answering from memory');
      return cached.answer;
    }
  }

  async #remember(key: string, answer: unknown, ttlMs: number): Promise<void> {
    const nowMs = this.#now();
    const json = JSON.stringify({ atMs: nowMs, answer } satisfies Cached);
    if (json.length > CACHED_BYTES_MAX) return;
    await this.#redis.eval(REMEMBER, 2, key, marketKeys.restIndex, json, ttlMs + STALE_MS, nowMs, CACHED_MAX);
  }

  async #request(body: object, text: string): Promise<unknown> {
    if (this.#now() < (this.#failedUntilMs.get(text) ?? 0)) throw new RetryableError('upstream did not answer a moment ago');
    if (this.#inFlight.size > IN_FLIGHT_MAX) throw new RetryableError('too many requests wait for the upstream');
    try {
      return await requestInfo({ url: this.#url, body, timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (error instanceof RetryableError) this.#rememberFailure(text);
      throw error;
    }
  }

  #rememberFailure(text: string): void {
    const nowMs = this.#now();
    for (const [request, untilMs] of this.#failedUntilMs) if (untilMs <= nowMs) this.#failedUntilMs.delete(request);
    this.#failedUntilMs.set(text, nowMs + FAILED_MS);
  }
}
