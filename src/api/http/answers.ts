// The answers to requests: the data as JSON, a failure as an error body, and the faults of a failure lab.
import type { Context } from 'koa';
import { NewerFormat } from '../../shared/domain/formats.ts';
import { RequestError, RetryableError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { isMongoAway } from '../../shared/mongo/mongo.ts';
import type { Span } from '../../shared/tracing/tracing.ts';
import type { SeldomLog } from '../access/limits/seldomLog.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { toJson } from '../domain/wireText.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Writes every answer: JSON text with its type and character set, also for `null`, which Koa itself would turn into an empty 204.
 */
export function answerJson(ctx: Pick<Context, 'res' | 'body' | 'status'>, answer: unknown, status?: number): void {
  ctx.res.setHeader('Content-Type', JSON_TYPE);
  ctx.body = toJson(answer);
  if (status !== undefined) ctx.status = status;
}

/**
 * Writes JSON text with status 200 in one piece, past what Koa does for answers of other kinds: a header that is set by
 * itself costs as much as ten that are written together. For the endpoints that bots call all day.
 * @param headers names and values in turn, beside those that are set already; what every answer has is added to them
 */
export function answerWhole(ctx: RouteContext, text: string, headers: string[]): void {
  ctx.respond = false;
  // Koa begins with a 404, and logs and metrics tell the status whether or not the client is still there.
  const { res } = ctx;
  res.statusCode = 200;
  const { socket } = res;
  if (socket?.writable === false) return;
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(text)));
  res.writeHead(200, headers);
  // What `end` is given goes as two pieces, one of them empty.
  socket?.cork();
  res.write(text);
  socket?.uncork();
  res.end();
}

// Turns every failure into an answer: `{detail, code, msg}`, in JSON, without a stack or internal details. On `info`
// and `exchange` a 400 or 403 also carries the venue's `status` and `response`, by which stock clients tell a refusal
// from an outage that they would retry.

/** Ends the sentence of each 404 that an address is wrong by: who mistypes one reads where they are. */
export const DOCUMENTATION = 'The documentation is at /docs.';

/** @returns the refusal of a path that leads nowhere */
export const nothingHere = (): RequestError =>
  new RequestError(404, 'not_found', `There is nothing at this path. ${DOCUMENTATION}`);

interface ErrorBody {
  readonly detail: string;
  readonly code: string;
  readonly msg: string;
  readonly status?: 'err';
  readonly response?: string;
}

/** @param isTrading true on `info` and `exchange` */
export function errorBody(error: RequestError, { isTrading }: { isTrading: boolean }): ErrorBody {
  const { message, code, status } = error;
  const body = { detail: message, code, msg: message };
  return isTrading && (status === 400 || status === 403) ? { status: 'err', response: message, ...body } : body;
}

/** Where failures are told: those that clients can cause at will seldom, our own each. */
export interface FailureLogs {
  readonly seldom: SeldomLog;
  readonly log: Logger;
}

/** What a failure is told with: the request's id, and that of its trace where it is traced. */
interface RequestNames {
  readonly requestId: string;
  readonly traceId?: string;
}

export const namesOf = (requestId: string, trace: Span | undefined): RequestNames =>
  trace === undefined ? { requestId } : { requestId, traceId: trace.traceId };

/** The error that the client may see. Logs the failure itself. */
export function toRequestError(error: unknown, { seldom, log }: FailureLogs, names: RequestNames): RequestError {
  if (error instanceof RequestError) {
    const { status, code, cause } = error;
    if (status < 500) seldom.info(code, { ...names, status, code }, 'request refused');
    else seldom.warn(code, { ...names, status, code, ...(cause !== undefined && { err: cause }) }, 'request failed');
    return error;
  }
  if (isStoreAway(error)) {
    seldom.warn('store', { ...names, err: error }, 'a store is away');
    return new RequestError(503, 'store_unavailable', 'The service cannot answer at the moment. Try again.', {
      'Retry-After': '1',
    });
  }
  log.error({ ...names, err: error }, 'request failed by a fault of our own');
  return new RequestError(500, 'internal_error', 'Internal error.');
}

/**
 * MongoDB's errors for a server that cannot be reached or is no primary any more, Redis's for a connection that is gone, and what
 * only a newer build can read: another API node may be one.
 */
function isStoreAway(error: unknown): boolean {
  if (error instanceof RetryableError || error instanceof NewerFormat) return true;
  if (isMongoAway(error)) return true;
  return error instanceof Error && /^Connection is closed|^(LOADING|READONLY|OOM|MASTERDOWN|CLUSTERDOWN)\b/.test(error.message);
}

// How a request ends that meets a fault of the failure lab. Its client sees what the venue would send, or nothing; the service's own
// metrics and logs do not count it among its failures.

/** A refusal that the lab has drawn. */
export class DrawnRefusal extends RequestError {}

/** The request gets no answer. `closes`: its WebSocket ends too; over HTTP the connection always does. */
export class WithheldAnswer extends Error {
  readonly closes: boolean;

  constructor({ closes }: { readonly closes: boolean }) {
    super('the failure lab gives no answer');
    this.closes = closes;
  }
}

const LAB_REFUSALS = {
  '429': () => new DrawnRefusal(429, 'rate_limited', 'Too many requests.', { 'Retry-After': '1' }),
  '500': () => new DrawnRefusal(500, 'internal_error', 'Internal error.'),
  '502': () => new DrawnRefusal(502, 'bad_gateway', 'Bad gateway.'),
} as const;

export const labRefusal = (fault: keyof typeof LAB_REFUSALS): DrawnRefusal => LAB_REFUSALS[fault]();
