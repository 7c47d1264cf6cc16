// The REST questions of the market role. They count in the same budget as those of users, and are asked before them:
// only what can wait waits while the deployment's weight is used up. Emulated and replayed venues are this deployment's
// own and count nothing, so there the role asks as fast as it likes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { RetryableError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { requestInfo, UpstreamLimited } from './requestInfo.ts';
import { requestWeight } from './requestWeight.ts';
import type { VenueBudget } from './venueBudget.ts';

export interface MarketRequest {
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
