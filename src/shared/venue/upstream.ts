// Passes market-wide questions that only the venue can answer (candles, funding history, spot metadata …) on to it. All
// API nodes share the answers, one budget of weight (venueBudget.ts), and each question that is under way: what is
// asked twice is asked once. Answers are the venue's JSON; this file reads nothing in them.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestWeight } from '../domain/requestWeight.ts';
import { DAY_MS } from '../domain/units.ts';
import { RetryableError, TerminalError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Redis } from '../redis/redis.ts';
import { sharedWork, withTimeout } from '../waiting.ts';
import { requestInfo, UpstreamLimited } from './requestInfo.ts';
import { AnswerCache, type Kept } from './venueAnswers.ts';
import type { BudgetVerdict, VenueBudget } from './venueBudget.ts';
import { WaitingPlaces } from './waitingPlaces.ts';

/** An answer is kept this long beyond its time, and used while the venue is away. */
const AWAY_MS_MAX = DAY_MS;
/** How old an answer may be that is given because nothing may be asked: as old as market data for an order, or some lives. */
const LATE_MS_MAX = 15_000;
const LATE_LIVES = 10;
/** A year of candles takes a busy venue some seconds. */
const TIMEOUT_MS = 10_000;
/** How long another process may be asking the same, ms. */
const UNDER_WAY_MS = TIMEOUT_MS + 2000;
/** How soon it is looked whether it has its answer, first and last, ms. */
const LOOK_AGAIN_MS = 100;
const LOOK_AGAIN_MS_MAX = 1000;
/** Questions under way from one node: of all users, and of one. Further ones wait, as many as this, so that no queue grows without bound. */
const UNDER_WAY_MAX = 32;
const UNDER_WAY_OF_USER_MAX = 8;
const WAITING_MAX = 2000;
/** After a failure a question is not sent again for this long, ms; a refusal of the venue is remembered longer. */
const FAILED_MS = 1000;
const REFUSED_MS = 10_000;
const STORE_MS_MAX = 1000;

/** The venue may not be asked now: the user's part of the weight is used up (`isOwn`), or that of all users. */
export class VenueBusy extends RetryableError {
  override name = 'VenueBusy';
  readonly isOwn: boolean;
  readonly retryMs: number;

  constructor(message: string, { isOwn, retryMs }: { isOwn: boolean; retryMs: number }) {
    super(message);
    this.isOwn = isOwn;
    this.retryMs = retryMs;
  }
}

export interface QuestionOptions {
  /** How old the answer may be. */
  readonly ttlMs: number;
  /** On whom it counts (`payerOf`); absent: all users share the answer. */
  readonly payer?: string;
}

export interface UpstreamParts {
  readonly log: Logger;
  readonly redis: Redis;
  /** Base address of the venue's protocol (MARKET_URL). */
  readonly url: string;
  readonly budget: VenueBudget;
  readonly now: () => number;
}

export class Upstream {
  readonly #parts: UpstreamParts;
  readonly #cache: AnswerCache;
  /** Questions that this node asks the venue. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Questions that other nodes ask, until they have ended: one look for all who wait here. */
  readonly #askedElsewhere = new Map<string, Promise<void>>();
  readonly #places = new WaitingPlaces({ all: UNDER_WAY_MAX, each: UNDER_WAY_OF_USER_MAX, waiting: WAITING_MAX });
  readonly #failedUntilMs = new Map<string, number>();
  /** Answers to questions that count on nobody and that a full Redis does not keep: without them each caller would ask the venue. */
  readonly #unshared = new Map<string, Kept>();

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
    this.#cache = new AnswerCache(parts);
  }

  /**
   * The venue's answer to an `info` request, at most `ttlMs` old. While nothing may be asked it may be ten times as old, or
   * 15 s; while the venue is away, a day.
   * @param body the request; equal bodies (same fields in the same order) share one answer
   * @throws {VenueBusy} when nothing may be asked now and no such answer is kept
   * @throws {RetryableError} when the venue, or Redis, is away
   * @throws {TerminalError} when the venue refuses the request
   */
  async info(body: object, options: QuestionOptions): Promise<unknown> {
    const text = JSON.stringify(body);
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const { now } = this.#parts;
    const askedAtMs = now();
    const untilMs = askedAtMs + UNDER_WAY_MS;
    let kept = await this.#kept(digest);
    let leave: (() => void) | undefined;
    try {
      while (now() < untilMs) {
        const isFresh = kept !== undefined && (kept.atMs >= askedAtMs || now() - kept.atMs < lifeOf(kept, options));
        if (kept !== undefined && isFresh) return toAnswer(kept);
        const asked = this.#underWay.get(digest) ?? this.#askedElsewhere.get(digest);
        if (asked !== undefined) {
          const answer = await asked;
          if (answer !== undefined) return answer;
          kept = (await this.#kept(digest)) ?? kept;
          continue;
        }
        if (leave === undefined) {
          leave = await this.#places.take(options.payer ?? '', untilMs - now());
          if (leave === undefined) throw busy('crowded', FAILED_MS);
          kept = (await this.#kept(digest)) ?? kept;
          continue;
        }
        const { verdict, retryMs, mark } = await this.#mayAsk(body, text, { digest, ...options });
        if (verdict === 'granted') return await this.#ask(body, text, { digest, mark, ...options });
        if (verdict !== 'asked') throw busy(verdict, retryMs);
        kept = (await this.#answerOfOther(digest, untilMs)) ?? kept;
      }
      throw new RetryableError('another process does not get an answer');
    } catch (error) {
      if (kept === undefined || 'refused' in kept || error instanceof TerminalError) throw error;
      const ageMsMax = error instanceof VenueBusy ? Math.max(LATE_MS_MAX, LATE_LIVES * options.ttlMs) : AWAY_MS_MAX;
      if (now() - kept.atMs > ageMsMax) throw error;
      this.#parts.log.debug({ request: text.slice(0, 200), reason: String(error) }, 'an older answer of the venue is given');
      return kept.answer;
    } finally {
      leave?.();
    }
  }

  async #kept(digest: string): Promise<Kept | undefined> {
    return (await redisAnswer(withTimeout(STORE_MS_MAX, 'Redis', this.#cache.read(digest)))) ?? this.#unshared.get(digest);
  }

  async #mayAsk(body: object, text: string, { digest, payer }: QuestionOptions & { digest: string }): Promise<BudgetVerdict> {
    const { budget, now } = this.#parts;
    if (now() < (this.#failedUntilMs.get(text) ?? 0)) throw new RetryableError('upstream did not answer a moment ago');
    return await redisAnswer(budget.ask(payer, { weight: requestWeight(body, now()), digest, lifeMs: UNDER_WAY_MS }));
  }

  #ask(body: object, text: string, options: QuestionOptions & { digest: string; mark: string }): Promise<unknown> {
    const { digest } = options;
    const answer = this.#request(body, text, options).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, answer);
    return answer;
  }

  async #request(
    body: object,
    text: string,
    { digest, mark, ttlMs, payer }: QuestionOptions & { digest: string; mark: string },
  ): Promise<unknown> {
    const { url, budget, log, now } = this.#parts;
    const afterwards = (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => log.warn({ err: error }, 'an answer of the venue could not be shared'));
    try {
      const answer = await requestInfo({ url, body, timeoutMs: TIMEOUT_MS });
      const kept = { atMs: now(), answer };
      if (payer === undefined) this.#unshared.set(digest, kept);
      await afterwards(this.#cache.keep(digest, kept, ttlMs + AWAY_MS_MAX).then(() => this.#unshared.delete(digest)));
      return answer;
    } catch (error) {
      if (error instanceof TerminalError)
        await afterwards(this.#cache.keep(digest, { atMs: now(), refused: error.message }, REFUSED_MS));
      else this.#rememberFailure(text);
      if (error instanceof UpstreamLimited) {
        await afterwards(budget.pause(error.waitMs));
        throw busy('pause', error.waitMs);
      }
      throw error;
    } finally {
      await afterwards(budget.answered(digest, mark));
    }
  }

  /** Waits for the process that asks the same: one look for all who wait here. @returns what is kept when it has ended */
  async #answerOfOther(digest: string, untilMs: number): Promise<Kept | undefined> {
    await sharedWork(this.#askedElsewhere, digest, () => this.#untilEnded(digest, untilMs));
    return await this.#kept(digest);
  }

  async #untilEnded(digest: string, untilMs: number): Promise<void> {
    const { budget, now } = this.#parts;
    let pauseMs = LOOK_AGAIN_MS;
    do {
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LOOK_AGAIN_MS_MAX);
    } while (now() < untilMs && !this.#underWay.has(digest) && (await redisAnswer(budget.isAsked(digest))));
  }

  #rememberFailure(text: string): void {
    const nowMs = this.#parts.now();
    for (const [request, untilMs] of this.#failedUntilMs) if (untilMs <= nowMs) this.#failedUntilMs.delete(request);
    this.#failedUntilMs.set(text, nowMs + FAILED_MS);
  }
}

async function redisAnswer<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return await answer.catch((cause: unknown) => {
    throw new RetryableError('Redis does not answer', { cause });
  });
}

const lifeOf = (kept: Kept, { ttlMs }: QuestionOptions): number => ('refused' in kept ? REFUSED_MS : ttlMs);

function toAnswer(kept: Kept): unknown {
  if ('refused' in kept) throw new TerminalError(kept.refused);
  return kept.answer;
}

const REASONS: Readonly<Record<'pause' | 'share' | 'crowded', string>> = {
  pause: 'the venue has asked for a pause',
  share: 'the user has had much of the venue’s weight, and the rest is for others',
  crowded: 'the users’ part of the venue’s weight is used up',
};

const busy = (verdict: 'pause' | 'share' | 'crowded', retryMs: number): VenueBusy =>
  new VenueBusy(REASONS[verdict], { isOwn: verdict === 'share', retryMs });
