// Answers a repeated request outside trading under the same Idempotency-Key as the first time, and does nothing
// again. Redis keeps the answer sealed, because it may hold an API key or an access token. Only the client's own
// Idempotency-Key, together with the deployment's secret, opens it.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../shared/config.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { idempotencyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/withTimeout.ts';
import { idempotencyKeyOf, keyReused } from '../accounts/idempotencyKey.ts';

/** A request that has neither ended nor failed after this, ms, died with its node: a repetition may begin. */
const CLAIM_TTL_MS = 30_000;
/** How long a repetition waits for the first request to end, ms, and how often it looks. */
const WAIT_MS_MAX = 5000;
const LOOK_EVERY_MS = 50;
/** How long Redis may take, ms. */
const REDIS_MS_MAX = 2000;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface IdempotencyParts {
  readonly redis: Redis;
  readonly config: Pick<Config, 'IDEMPOTENCY_TTL_MS'>;
  readonly log: Logger;
  /** The deployment's secret, the same on every node. */
  readonly secret: () => Promise<Buffer>;
}

/** What a request asks for, and whose its Idempotency-Key is. */
export interface Asked {
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

  constructor(parts: IdempotencyParts) {
    this.#parts = parts;
  }

  /**
   * Works once for all requests with this Idempotency-Key; without one, always. An answer is remembered for
   * IDEMPOTENCY_TTL_MS; a request that failed is not, and may be repeated.
   * @param work its answer must survive JSON
   * @throws {RequestError} 422 when the key came with another body, 409 when the first request takes too long, and what
   * `work` throws
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

    const known = await this.#claim(place, mine);
    if (known !== undefined) return open<T>(known, seal);
    const answer = await this.#work(place, () => work(digest('seed', '').toString('hex').slice(0, 24)));
    const kept: Kept = { ...mine, answer: sealed(JSON.stringify(answer), seal) };
    await this.#redis(({ redis, config }) => redis.set(place, JSON.stringify(kept), 'PX', config.IDEMPOTENCY_TTL_MS));
    return answer;
  }

  /** Failed work removes the record, so that the request may be repeated at once. */
  async #work<T>(place: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.#redis(({ redis }) => redis.del(place)).catch((cause: unknown) => {
        this.#parts.log.warn({ err: cause }, 'a place for an answer ends by its time, for it could not be given free');
      });
      throw error;
    }
  }

  /** @returns the answer to give again, or undefined when the work is the caller's */
  async #claim(place: string, mine: Kept): Promise<string | undefined> {
    const giveUpAtMs = performance.now() + WAIT_MS_MAX;
    for (;;) {
      const text = await this.#redis(({ redis }) => redis.set(place, JSON.stringify(mine), 'PX', CLAIM_TTL_MS, 'NX', 'GET'));
      if (text === null) return undefined;
      const kept = JSON.parse(text) as Kept;
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

function sealed(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64');
}

function open<T>(text: string, key: Buffer): T {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const data = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(data.toString('utf8')) as T;
}
