// REST questions in the budget that all processes share: of the market role, and of a user about one address.
// The REST questions of the market role. They count in the same budget as those of users, and are asked before them:
// only what can wait waits while the deployment's weight is used up. Emulated and replayed venues are this deployment's
// own and count nothing, so there the role asks as fast as it likes.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { requestWeight } from '../domain/requestWeight.ts';
import { RetryableError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { requestInfo, UpstreamLimited } from './requestInfo.ts';
import { VenueBusy } from './upstream.ts';
import type { VenueBudget } from './venueBudget.ts';

interface MarketRequest {
  readonly timeoutMs: number;
  /** Ends the waiting and the request. */
  readonly signal: AbortSignal;
  /** It may wait while the deployment's weight is used up. */
  readonly isPatient?: true;
}

/** @throws {RetryableError} when the venue is away or limits us, {TerminalError} when it refuses the request */
export type AskVenue = (body: object, request: MarketRequest) => Promise<unknown>;

/** @param options.url base address of the venue's protocol */
export function createMarketRequests(options: {
  log: Logger;
  url: string;
  source: Config['MARKET_SOURCE'];
  budget: VenueBudget;
  now: () => number;
}): AskVenue {
  const { log, url, source, budget, now } = options;
  if (source !== 'live') return (body, { timeoutMs, signal }) => requestInfo({ url, body, timeoutMs, signal });
  /** A market role that cannot count goes on: what it reads keeps the exchange alive. */
  const spend = (weight: number, isPatient: boolean): Promise<number> =>
    budget.spend(weight, { isPatient }).catch((error: unknown) => {
      log.warn({ err: error }, 'a question to the venue is not counted');
      return 0;
    });
  return async (body, { timeoutMs, signal, isPatient = false }) => {
    const weight = requestWeight(body, now());
    for (let waitMs = await spend(weight, isPatient); waitMs > 0; waitMs = await spend(weight, isPatient)) {
      await sleep(waitMs, undefined, { signal }).catch((cause: unknown) => {
        throw new RetryableError('the question was given up', { cause });
      });
    }
    try {
      return await requestInfo({ url, body, timeoutMs, signal });
    } catch (error) {
      if (error instanceof UpstreamLimited) {
        await budget
          .pause(error.waitMs)
          .catch((cause: unknown) => log.warn({ err: cause }, 'the venue’s pause could not be told'));
      }
      throw error;
    }
  };
}

// Asks the venue about one address, on the account of the user who wants to know. The question counts in the budget that all processes
// share; its answer is of this moment or none: nothing older is given, and nothing is kept.

const TIMEOUT_MS = 10_000;
/** After a 429 of the venue that names no time, ms. */
const LIMITED_MS = 1000;
/** The 5,000 open orders that the venue allows take about 1.5 MB. */
const ANSWER_BYTES_MAX = 4_000_000;

interface FreshQuestionsParts {
  readonly log: Logger;
  /** Base address of the venue's protocol (MARKET_URL). */
  readonly url: string;
  readonly budget: Pick<VenueBudget, 'ask' | 'answered' | 'pause'>;
  readonly now: () => number;
}

export class FreshQuestions {
  readonly #parts: FreshQuestionsParts;

  constructor(parts: FreshQuestionsParts) {
    this.#parts = parts;
  }

  /**
   * The same for work behind which no request stands: it waits until the budget has room, and while the venue asks for a pause.
   * @throws as `ask` without {VenueBusy} and {UpstreamLimited}; an AbortError when the signal ends the wait
   */
  async askPatiently(body: object, payer: string, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      try {
        return await this.ask(body, payer);
      } catch (error) {
        if (error instanceof VenueBusy) await sleep(error.retryMs, undefined, { signal });
        else if (error instanceof UpstreamLimited) await sleep(Math.max(LIMITED_MS, error.waitMs), undefined, { signal });
        else throw error;
      }
    }
  }

  /**
   * @param payer on whom it counts
   * @throws {VenueBusy} when nothing may be asked now
   * @throws {RetryableError} when the venue, or Redis, is away
   * @throws {TerminalError} when the venue refuses the request, or answers more than can be read
   */
  async ask(body: object, payer: string): Promise<unknown> {
    const { budget, log, now, url } = this.#parts;
    const digest = randomBytes(16).toString('base64url');
    const question = { weight: requestWeight(body, now()), digest, lifeMs: TIMEOUT_MS };
    const { verdict, retryMs, mark } = await budget.ask(payer, question).catch((cause: unknown) => {
      throw new RetryableError('Redis does not answer', { cause });
    });
    if (verdict !== 'granted')
      throw new VenueBusy(`the venue may not be asked: ${verdict}`, { isOwn: verdict === 'share', retryMs });
    const afterwards = (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => log.warn({ err: error }, 'what became of a question to the venue could not be told'));
    try {
      return await requestInfo({ url, body, timeoutMs: TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX });
    } catch (error) {
      if (error instanceof UpstreamLimited) await afterwards(budget.pause(error.waitMs));
      throw error;
    } finally {
      await afterwards(budget.answered(digest, mark));
    }
  }
}
