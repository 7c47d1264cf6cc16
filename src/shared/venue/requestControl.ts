// One control call to the emulated venue at MARKET_URL, which has been done when it is answered.
import { RetryableError, TerminalError } from '../errors.ts';

const TIMEOUT_MS = 5000;

/** The answer of the venue to a control call. */
export interface ControlledVenue {
  readonly timeMs: number;
  /** Of a trade. */
  readonly tid?: number;
  /** Of the coin, after it. */
  readonly book?: {
    readonly timeMs: number;
    readonly bids: readonly (readonly [string, string, number])[];
    readonly asks: readonly (readonly [string, string, number])[];
  };
  /** The coin is paused: nothing of it was sent. */
  readonly isHeldBack: boolean;
}

/** The venue was reached and has not answered: it may have done it. */
export class ControlUnanswered extends RetryableError {
  override name = 'ControlUnanswered';
}

/**
 * @param url of the venue
 * @throws {TerminalError} with the venue's words when it refuses
 * @throws {ControlUnanswered} when it does not answer in time @throws {RetryableError} when it cannot be reached: nothing was done
 */
export async function requestControl(url: string, operation: object): Promise<ControlledVenue> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL('/control', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-control': '1' },
      body: JSON.stringify(operation),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as { readonly code?: string };
    if (code === 'ECONNREFUSED') throw new RetryableError('the emulated venue cannot be reached', { cause });
    throw new ControlUnanswered('the emulated venue does not answer', { cause });
  }
  if (response.status !== 200) throw new TerminalError(`The emulated venue refuses it: ${text.slice(0, 200)}`);
  return JSON.parse(text) as ControlledVenue;
}
