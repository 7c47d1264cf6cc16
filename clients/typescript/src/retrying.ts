// Requests that fail are sent again where that is safe, and refusals become exceptions.
import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterMs, ServiceError } from './errors.js';

export interface Retries {
  /** How often a request is sent where repeating is safe: questions, and what has an Idempotency-Key. */
  readonly attempts: number;
  /** Milliseconds that a repetition waits at most; a `Retry-After` beyond it is thrown at once. */
  readonly longestWaitMs: number;
}

/** Statuses after which another attempt may succeed. A 429 was not done, whatever it was. */
const TRANSIENT: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** @throws {ServiceError} for answers from 400, after the last attempt; the errors of `send` for connections */
export function retrying(send: typeof fetch, { attempts, longestWaitMs }: Retries): (request: Request) => Promise<Response> {
  return async (request) => {
    const isRepeatable = isSafe(request);
    for (let attempt = 1; ; attempt += 1) {
      const mayRepeat = attempt < attempts;
      let waitMs = 250 * 2 ** (attempt - 1);
      const answer = await send(request.clone()).catch((error: unknown) => ({ error }));
      if ('error' in answer) {
        if (!(mayRepeat && isRepeatable)) throw answer.error;
      } else {
        if (answer.status < 400) return answer;
        waitMs = retryAfterMs(answer) || waitMs;
        const isWorthIt = TRANSIENT.has(answer.status) && (isRepeatable || answer.status === 429);
        if (!(mayRepeat && isWorthIt && waitMs <= longestWaitMs)) throw await ServiceError.of(answer);
        await answer.body?.cancel();
      }
      await sleep(waitMs);
    }
  };
}

const isSafe = ({ method, url, headers }: Request): boolean =>
  method === 'GET' || new URL(url).pathname.endsWith('/info') || headers.has('idempotency-key');
