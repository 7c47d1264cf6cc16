// One REST call to the upstream venue: `POST {url}/info`. Failures are told apart by what a caller can do about them.
import { RetryableError, TerminalError } from '../errors.ts';

/** Real answers have at most a few hundred kB; a larger one is refused. */
const ANSWER_BYTES_MAX = 20_000_000;

/**
 * @param url base address, with or without a path
 * @returns the answer as JSON
 * @throws {RetryableError} when the venue is away, too slow, overloaded or limits us
 * @throws {TerminalError} when it refuses the request itself
 */
export async function requestInfo(options: {
  url: string;
  body: object;
  timeoutMs: number;
  signal?: AbortSignal;
}): Promise<unknown> {
  const { url, body, timeoutMs, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    status = response.status;
    text = await response.text();
  } catch (cause) {
    throw new RetryableError('upstream does not answer', { cause });
  }
  if (status === 429 || status >= 500) throw new RetryableError(`upstream answers ${status}`);
  if (status !== 200) throw new TerminalError(`upstream refuses the request: ${status} ${text.slice(0, 200)}`);
  if (text.length > ANSWER_BYTES_MAX) throw new TerminalError('upstream answer is too large');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RetryableError('upstream answer is not JSON', { cause });
  }
}
