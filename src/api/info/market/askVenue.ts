// Passes market questions on to the venue. A question that the venue refuses is the client's fault and answered with
// 400; a venue that is away is a 503, like any other part that is away.
import { RequestError, RetryableError, TerminalError } from '../../../shared/errors.ts';
import type { Services } from '../../accounts/services.ts';

/**
 * @param ttlMs how old the answer may be
 * @throws {RequestError} 400 when the venue refuses the question, 503 when it does not answer and nothing is remembered
 */
export async function askVenue({ upstream }: Services, body: object, ttlMs: number): Promise<unknown> {
  try {
    return await upstream.info(body, { ttlMs });
  } catch (error) {
    if (!(error instanceof TerminalError)) throw away(error);
    throw new RequestError(400, 'upstream_refused', 'The market data source refuses this request.');
  }
}

/**
 * The same for optional data that clients ask for at start, such as spot markets. When the venue refuses the question, it has
 * no such data.
 * @param nothing the answer in that case
 * @throws {RequestError} 503 when it does not answer and nothing is remembered
 */
export async function askVenueForOptional(
  { upstream }: Services,
  body: object,
  { ttlMs, nothing }: { ttlMs: number; nothing: unknown },
): Promise<unknown> {
  try {
    return (await upstream.info(body, { ttlMs })) ?? nothing;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw away(error);
    return nothing;
  }
}

/** The text names the venue, so that the reader does not suspect our stores. */
function away(error: unknown): unknown {
  if (!(error instanceof RetryableError)) return error;
  const answer = new RequestError(
    503,
    'upstream_unavailable',
    'The market data source does not answer at the moment. Try again.',
    {
      'Retry-After': '1',
    },
  );
  answer.cause = error;
  return answer;
}
