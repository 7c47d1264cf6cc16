// Passes market questions on to the venue, on the account of the user who has them asked. A question that the venue
// refuses is the client's fault and answered with 400; a venue that is away is a 503, like any other part that is away.
// A user who has used up a user's part of the venue's weight gets a 429; when all users together have, a 503. What all users ask
// alike counts on none of them.
import { RequestError, RetryableError, TerminalError } from '../../shared/errors.ts';
import { VenueBusy } from '../../shared/venue/upstream.ts';
import type { Caller } from '../access/keyRecord.ts';
import type { Call, Services } from './services.ts';

/** What was asked in a second counts for the sixty after it. */
const RETRY_S_MAX = 61;

/** On whom a caller's questions count: the access tokens of a user apart from the keys, so that a dashboard takes nothing from the bots. */
export const payerOf = ({ userId, keyId }: Pick<Caller, 'userId' | 'keyId'>): string =>
  keyId === '' ? `token:${userId}` : userId;

/** The services with the user on whom questions to the venue are counted. */
export interface PayingServices extends Services {
  /** On whom (`payerOf`) the next question may be counted, the first one first. */
  readonly payers: () => readonly string[];
}

/** On the account of a call's user. */
export const paidBy = (services: Services, { caller }: Call): PayingServices => ({
  ...services,
  payers: () => [payerOf(caller)],
});

/**
 * @param ttlMs how old the answer may be
 * @throws {RequestError} 400 when the venue refuses the question; where nothing is remembered 503 when it does not answer, 429 or
 *   503 when nothing may be asked now
 */
export async function askVenue(services: PayingServices, body: object, ttlMs: number): Promise<unknown> {
  try {
    return await ask(services, body, ttlMs);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw away(error);
    throw new RequestError(400, 'upstream_refused', 'The market data source refuses this request.');
  }
}

/**
 * The same for data that all callers share, asked once in `ttlMs` for the deployment and counted on none of them. When the venue refuses the
 * question, it has no such data.
 * @param nothing the answer in that case
 * @throws {RequestError} 503 when it does not answer and nothing is remembered
 */
export async function askShared(
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

/** A user whose part is used up leaves the question to the next one who wants it answered. */
async function ask({ upstream, payers }: PayingServices, body: object, ttlMs: number): Promise<unknown> {
  let refusal: VenueBusy | undefined;
  for (const payer of payers()) {
    try {
      return await upstream.info(body, { ttlMs, payer });
    } catch (error) {
      if (!(error instanceof VenueBusy) || !error.isOwn) throw error;
      refusal = error;
    }
  }
  throw refusal ?? new RetryableError('the question is asked for no user');
}

/** The text names the venue, so that the reader does not suspect our stores. */
export function away(error: unknown): unknown {
  if (!(error instanceof RetryableError)) return error;
  const answer = error instanceof VenueBusy ? busy(error) : unavailable();
  answer.cause = error;
  return answer;
}

const unavailable = (): RequestError =>
  new RequestError(503, 'upstream_unavailable', 'The market data source does not answer at the moment. Try again.', {
    'Retry-After': '1',
  });

function busy({ isOwn, retryMs }: VenueBusy): RequestError {
  const seconds = String(Math.min(RETRY_S_MAX, Math.max(1, Math.ceil(retryMs / 1000))));
  const [status, code, who] = isOwn
    ? ([429, 'upstream_limited', 'you'] as const)
    : ([503, 'upstream_busy', 'all users'] as const);
  const text = `The market data source allows ${who} no more such questions at the moment. Try again in ${seconds} s.`;
  return new RequestError(status, code, text, { 'Retry-After': seconds });
}
