// REST calls to the venue: a question, and a control call to the emulated venue.
// A question is `POST {url}/info`. Failures are told apart by what a caller can do about them.
import { RetryableError, TerminalError } from '../errors.ts';

/** Real answers have at most a few hundred kB; a larger one is refused while it is read. */
const ANSWER_BYTES_MAX = 20_000_000;

/** The venue has counted too many questions from this address. */
export class UpstreamLimited extends RetryableError {
  override name = 'UpstreamLimited';
  /** The wait that the venue asks for, ms; 0 = it names none. */
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('upstream answers 429');
    this.waitMs = waitMs;
  }
}

/**
 * @param url base address, with or without a path
 * @returns the answer as JSON
 * @throws {UpstreamLimited} when the venue limits us
 * @throws {RetryableError} when the venue is away, too slow or overloaded
 * @throws {TerminalError} when it refuses the request itself
 */
export async function requestInfo(options: {
  url: string;
  body: object;
  timeoutMs: number;
  signal?: AbortSignal;
  /** A longer answer is refused. */
  bytesMax?: number;
}): Promise<unknown> {
  const { url, body, timeoutMs, signal, bytesMax = ANSWER_BYTES_MAX } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${url.replace(/\/+$/, '')}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    text = await boundedText(response, bytesMax);
  } catch (cause) {
    if (cause instanceof TerminalError) throw cause;
    throw new RetryableError('upstream does not answer', { cause });
  }
  const { status, headers } = response;
  if (status === 429) throw new UpstreamLimited(1000 * (Number(headers.get('retry-after')) || 0));
  if (status >= 500) throw new RetryableError(`upstream answers ${status}`);
  if (status !== 200) throw new TerminalError(`upstream refuses the request: ${status} ${text.slice(0, 200)}`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RetryableError('upstream answer is not JSON', { cause });
  }
}

/** @throws {TerminalError} as soon as there are too many bytes */
export async function boundedText({ body }: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TerminalError('upstream answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// One control call to the emulated venue at MARKET_URL, which has been done when it is answered.

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
