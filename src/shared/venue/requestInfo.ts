// One REST call to the upstream venue: `POST {url}/info`. Failures are told apart by what a caller can do about them.
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
    text = await textOf(response, bytesMax);
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
async function textOf({ body }: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TerminalError('upstream answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
