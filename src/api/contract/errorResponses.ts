// The errors that an endpoint may answer with: its own, and those that follow from what it needs, such as a body, a
// credential, or the account behind it. Statuses and codes are part of the contract; texts are not.
import { type TSchema, Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { exactly } from './answerValues.ts';
import type { Endpoint, ErrorCodes } from './endpoint.ts';
import { described, named } from './named.ts';
import { rulesOf, WHO_MAY } from './whoMay.ts';

const EVERYWHERE: ErrorCodes = {
  400: ['invalid_http', 'invalid_path'],
  408: ['request_timeout'],
  429: ['rate_limited', 'weight_limited'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: ['store_unavailable'],
};
const WITH_BODY: ErrorCodes = {
  400: ['invalid_json', 'invalid_request', 'invalid_number', 'body_too_deep', 'body_too_complex'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  429: ['too_many_bytes'],
  503: ['busy'],
};
const BELOW_EXCHANGES: ErrorCodes = { 404: ['unknown_exchange', 'not_found'] };
const OF_THE_ACCOUNT: ErrorCodes = {
  429: ['mailbox_full'],
  503: ['journal_full', 'account_journal_full', 'expired', 'account_quarantined', 'account_away'],
  504: ['outcome_unknown'],
};
const IDEMPOTENT: ErrorCodes = { 400: ['invalid_idempotency_key'], 422: ['idempotency_mismatch'], 429: ['answers_full'] };
/** For work of the API itself. The answer to a command is remembered by its account. */
const IDEMPOTENT_HERE: ErrorCodes = { 409: ['request_in_progress'] };

/** Each status of an error: its name among the responses of the document, and what it means. */
const MEANINGS: Readonly<Record<number, readonly [name: string, meaning: string]>> = {
  400: ['BadRequest', 'The request cannot be read, or the rules refuse it. Nothing was done.'],
  401: ['Unauthorized', 'The credential is missing, wrong or over.'],
  403: [
    'Forbidden',
    'The trial, or what was paid for, is over; or the API key may not do this, or not from this address; or the page is of another site.',
  ],
  404: ['NotFound', 'There is no such thing.'],
  405: ['MethodNotAllowed', 'Another method is needed.'],
  408: ['RequestTimeout', 'The request took too long to arrive.'],
  409: ['Conflict', 'It does not fit how things are now. Nothing was done.'],
  413: ['BodyTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The body is no JSON.'],
  422: ['IdempotencyMismatch', 'The Idempotency-Key was used with another body. Nothing was done.'],
  426: ['UpgradeRequired', 'The path answers WebSocket connections only.'],
  429: ['TooManyRequests', 'Too many requests. Nothing was done.'],
  431: ['HeadersTooLarge', 'The headers are too large.'],
  500: ['InternalError', 'Internal error.'],
  502: ['BadGateway', 'Drawn by the failure lab of the key. Nothing was done.'],
  503: ['Unavailable', 'The service, or a part of it, cannot answer at the moment.'],
  504: ['OutcomeUnknown', 'No answer came in time: the outcome is unknown until the time that the text names.'],
};

/** Codes by status. */
export function errorsOf(endpoint: Endpoint): Record<number, string[]> {
  const { body, reachesAccount, isIdempotent, path, errors } = endpoint;
  const all: (Readonly<Record<number, readonly string[]>> | false | undefined)[] = [
    EVERYWHERE,
    body && WITH_BODY,
    path.startsWith('/v1/exchanges/') && BELOW_EXCHANGES,
    ...rulesOf(endpoint).map((rule) => WHO_MAY[rule].refusals),
    reachesAccount && OF_THE_ACCOUNT,
    isIdempotent && IDEMPOTENT,
    isIdempotent && !reachesAccount && IDEMPOTENT_HERE,
    errors,
  ];
  const codes: Record<number, string[]> = {};
  for (const some of all) {
    if (!some) continue;
    for (const [status, more] of Object.entries(some)) {
      codes[Number(status)] = [...new Set([...(codes[Number(status)] ?? []), ...more])];
    }
  }
  return codes;
}

/** @returns the name and the meaning of an error's status */
export function meaningOf(status: number): readonly [name: string, meaning: string] {
  const meaning = MEANINGS[status];
  assert(meaning, `the contract has no meaning of status ${status}`);
  return meaning;
}

const Detail = Type.String({ description: 'What is wrong, in words.', examples: ['The body is not valid JSON.'] });
const SAME = described(Detail, 'The same as `detail`.');
const fields = {
  detail: Detail,
  code: Type.String({
    description: 'What is wrong, for a program. `x-error-codes` of each operation has all that it may give; others may be added.',
    examples: ['invalid_json'],
  }),
  msg: SAME,
};

/** The body of every error. */
export const ApiError = named('ApiError', exactly(fields, { description: 'An error.' }));

/** On `info` and `exchange` some also have the fields by which stock clients recognise a refusal. */
export const TradingError = named(
  'TradingError',
  exactly(
    { status: Type.Literal('err'), response: SAME, ...fields },
    { description: 'An error with the fields by which clients of the venue recognise a refusal.' },
  ),
);

/** Bytes that are no HTTP are answered before a route is known: a 400 of `info` may be of either kind. */
export const EitherError = Type.Union([TradingError, ApiError]);

/** The body of an error of this status. */
export function errorSchema(status: number, { isTrading }: { isTrading: boolean }): TSchema {
  if (!isTrading || (status !== 400 && status !== 403)) return ApiError;
  return status === 403 ? TradingError : EitherError;
}
