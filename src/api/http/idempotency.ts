// Answers a repeated request outside trading under the same Idempotency-Key as the first time, and does nothing
// again. Redis keeps the answer sealed, because it may hold an API key or an access token. Only the client's own
// Idempotency-Key, together with the deployment's secret, opens it.
import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { idempotencyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { openAnswer, REMEMBERED_LUA, sealAnswer } from '../../shared/redis/rememberedAnswers.ts';
import { Script } from '../../shared/redis/script.ts';
import { withTimeout } from '../../shared/waiting.ts';
import { createSeldomLog, type SeldomLog } from '../access/limits/seldomLog.ts';

/** A request that has neither ended nor failed after this, ms, died with its node: a repetition may begin. */
const CLAIM_TTL_MS = 30_000;
/** How long a repetition waits for the first request to end, ms, and how often it looks. */
const WAIT_MS_MAX = 5000;
const LOOK_EVERY_MS = 50;
/** How long Redis may take, ms. */
const REDIS_MS_MAX = 2000;

const claimScript = new Script(
  'claimIdempotencyKey',
  `
-- Begins a request with an Idempotency-Key.
-- KEYS  its place, bytes of remembered answers. ARGV  its record, life of the record in ms, whose it is, bytes that may be
--       remembered of one, of all.
-- Answers the record that is there already, 'full', or nothing: the request may begin.
-- Atomic because of two requests at once only one may begin.
${REMEMBERED_LUA}
local known = redis.call('GET', KEYS[1])
if known then return known end
if isRememberedFull(KEYS[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])) then return 'full' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false
`,
);

const keepScript = new Script(
  'keepAnswer',
  `
-- Remembers the answer of a request.
-- KEYS  its place, bytes of remembered answers. ARGV  its record, its life in ms, whose it is.
-- Atomic because what is remembered must be counted.
${REMEMBERED_LUA}
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
countRemembered(KEYS[2], {place = KEYS[1], owner = ARGV[3], bytes = #ARGV[1], lifeMs = tonumber(ARGV[2])})
return false
`,
);

interface IdempotencyParts {
  readonly redis: Redis;
  readonly config: Pick<Config, 'IDEMPOTENCY_TTL_MS' | 'IDEMPOTENCY_BYTES' | 'IDEMPOTENCY_SHARD_BYTES'>;
  readonly log: Logger;
  /** The deployment's secret, the same on every node. */
  readonly secret: () => Promise<Buffer>;
}

/** What a request asks for, and whose its Idempotency-Key is. */
interface Asked {
  /** Endpoint and owner, e.g. `subscribe:<user id>`: one key means nothing to another endpoint or user. */
  readonly scope: string;
  readonly body: unknown;
}

/**
 * Does the work and gives its answer.
 * @param seed 24 hex digits: random, or, with an Idempotency-Key, the same each time the request is repeated. An id made
 * of it lets the store refuse a second one where the first request died between its work and its answer.
 */
type Work<T> = (seed: string) => Promise<T>;

/** The record of a request in Redis: a digest of its body, and its sealed answer once there is one. */
interface Kept {
  readonly body: string;
  readonly answer?: string;
}

export class Idempotency {
  readonly #parts: IdempotencyParts;
  readonly #log: SeldomLog;

  constructor(parts: IdempotencyParts) {
    this.#parts = parts;
    this.#log = createSeldomLog(parts.log);
  }

  /**
   * Works once for all requests with this Idempotency-Key; without one, always. An answer is remembered for
   * IDEMPOTENCY_TTL_MS; a request that failed is not, and may be repeated.
   * @param work its answer must survive JSON
   * @throws {RequestError} 422 when the key came with another body, 409 when the first request takes too long, 429
   * `answers_full` when no more may be remembered, and what `work` throws
   */
  async run<T>(ctx: Pick<Context, 'req'>, { scope, body }: Asked, work: Work<T>): Promise<T> {
    const key = idempotencyKeyOf(ctx);
    if (key === undefined) return work(randomBytes(12).toString('hex'));
    const secret = await this.#parts.secret();
    const digest = (use: string, text: string): Buffer =>
      createHmac('sha256', secret).update(`${use}\n${scope}\n${key}\n${text}`).digest();
    const place = idempotencyKeys.answer(digest('place', '').toString('hex'));
    const seal = digest('seal', JSON.stringify(body));
    const mine: Kept = { body: digest('body', JSON.stringify(body)).toString('hex') };

    const owner = createHmac('sha256', secret).update(`owner\n${scope}`).digest('hex').slice(0, 16);
    const known = await this.#claim(place, owner, mine);
    if (known !== undefined) return JSON.parse(openAnswer(known, seal)) as T;
    const answer = await this.#work(place, () => work(digest('seed', '').toString('hex').slice(0, 24)));
    const kept: Kept = { ...mine, answer: sealAnswer(JSON.stringify(answer), seal) };
    await this.#redis(({ redis, config }) =>
      keepScript.run(redis, [place, idempotencyKeys.bytes], [JSON.stringify(kept), config.IDEMPOTENCY_TTL_MS, owner]),
    );
    return answer;
  }

  /** Failed work removes the record, so that the request may be repeated at once. */
  async #work<T>(place: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.#redis(({ redis }) => redis.del(place)).catch((cause: unknown) => {
        this.#log.warn('place', { err: cause }, 'a place for an answer ends by its time, for it could not be given free');
      });
      throw error;
    }
  }

  /** @returns the answer to give again, or undefined when the work is the caller's */
  async #claim(place: string, owner: string, mine: Kept): Promise<string | undefined> {
    const giveUpAtMs = performance.now() + WAIT_MS_MAX;
    for (;;) {
      const text = await this.#redis(({ redis, config }) => {
        const bounds = [config.IDEMPOTENCY_BYTES, config.IDEMPOTENCY_SHARD_BYTES];
        return claimScript.run(redis, [place, idempotencyKeys.bytes], [JSON.stringify(mine), CLAIM_TTL_MS, owner, ...bounds]);
      });
      if (text === null) return undefined;
      if (text === 'full') throw answersFull();
      const kept = JSON.parse(String(text)) as Kept;
      if (kept.body !== mine.body) throw keyReused();
      if (kept.answer !== undefined) return kept.answer;
      if (performance.now() >= giveUpAtMs) {
        throw new RequestError(409, 'request_in_progress', 'The first request with this Idempotency-Key is still at work.', {
          'Retry-After': '1',
        });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  #redis<T>(ask: (parts: IdempotencyParts) => Promise<T>): Promise<T> {
    return withTimeout(REDIS_MS_MAX, 'remembering an answer', ask(this.#parts));
  }
}

/**
 * The form of a client's Idempotency-Key: the same for account commands and for every other endpoint. Printable ASCII without spaces, as
 * other services take it.
 */
const FORM = /^[!-~]{1,128}$/;

/** @returns undefined when the request has none. @throws {RequestError} 400 when it is no such text */
export function idempotencyKeyOf({ req }: Pick<Context, 'req'>): string | undefined {
  const given = req.headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && FORM.test(given)) return given;
  throw new RequestError(400, 'invalid_idempotency_key', 'Idempotency-Key must be 1 to 128 printable characters without spaces.');
}

/** The answer where a key came with another body than the first time. */
export const keyReused = (): RequestError =>
  new RequestError(422, 'idempotency_mismatch', 'This Idempotency-Key was used before with another body; nothing was done.');

/** More may not be remembered for the owner of an Idempotency-Key, or for all owners together. */
export const answersFull = (): RequestError =>
  new RequestError(
    429,
    'answers_full',
    'As many answers as may be are remembered for Idempotency-Keys; nothing was done. Repeat later, or without a key.',
    { 'Retry-After': '600' },
  );
