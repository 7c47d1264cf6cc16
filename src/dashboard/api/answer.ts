// An answer of the API as the page reads it: the body, the journal entry that it includes, the server's clock, or the refusal in
// the API's own words.

/** An answer, and its place in the account's journal. */
export interface Answer<Body> {
  readonly body: Body;
  /** `X-Account-Seq`: the newest journal entry that the answer includes; undefined where it is about no account. */
  readonly seq: number | undefined;
}

/** A refusal of the API, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  /** Stable, for programs: docs/errors.md. */
  readonly code: string;
  readonly requestId: string | null;
  /** When it may be tried again, s from now. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: { status: number; code: string; requestId: string | null; retryAfter: string | null }) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfter === null ? undefined : Number(facts.retryAfter);
  }
}

/** A message of the page itself: nothing was sent, or a field has to be filled in first. */
export class Hint extends Error {}

/** A failure in words for the reader. */
export const failureText = (failure: unknown): string =>
  failure instanceof ApiError || failure instanceof Hint ? failure.message : 'The server cannot be reached.';

/** How far the page's clock is behind the server's, ms. */
let clockBehindMs = 0;

/** The server's time, ms since the epoch: ages and countdowns do not depend on the clock of the page's machine. */
export const serverNow = (): number => Date.now() + clockBehindMs;

/** Reads an answer. @param options.alsoStatus is no refusal either @throws {ApiError} */
export async function readAnswer<Body>(response: Response, { alsoStatus }: { alsoStatus?: number } = {}): Promise<Answer<Body>> {
  const { headers, status } = response;
  const date = Date.parse(headers.get('date') ?? '');
  // The header has whole seconds: half a second is its mean error.
  if (!Number.isNaN(date)) clockBehindMs = date + 500 - Date.now();
  const isJson = headers.get('content-type')?.includes('json') ?? false;
  const body = isJson ? await response.json() : undefined;
  if (!response.ok && status !== alsoStatus) {
    const { detail, code } = (body ?? {}) as { detail?: unknown; code?: unknown };
    throw new ApiError(typeof detail === 'string' ? detail : `The server answered ${status}.`, {
      status,
      code: typeof code === 'string' ? code : 'unknown',
      requestId: headers.get('x-request-id'),
      retryAfter: headers.get('retry-after'),
    });
  }
  const seq = headers.get('x-account-seq');
  return { body: body as Body, seq: seq === null ? undefined : Number(seq) };
}

/** Longer than a command waits for its account, where the server has not said how long. */
const UNKNOWN_MS = 10_000;

/**
 * The moment from which on the outcome of an action that failed is final.
 * @param refusal the server's answer; undefined where none came
 * @returns ms since the epoch; undefined = nothing was done
 */
export function unknownUntil(
  refusal: { readonly status: number; readonly message: string } | undefined,
  nowMs: number,
): number | undefined {
  if (refusal === undefined) return nowMs + UNKNOWN_MS;
  if (refusal.status !== 504) return undefined;
  const [, moment] = /unknown until (\S+Z)/.exec(refusal.message) ?? [];
  const finalMs = moment === undefined ? Number.NaN : Date.parse(moment);
  return Number.isNaN(finalMs) ? nowMs : finalMs;
}
