// Turns every failure into an answer: `{detail, code, msg}`, in JSON, without a stack or internal details. On `info`
// and `exchange` a 400 or 403 also carries the venue's `status` and `response`, by which stock clients tell a refusal
// from an outage that they would retry.
import { NewerFormat } from '../../shared/domain/formats.ts';
import { RequestError, RetryableError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { isMongoAway } from '../../shared/mongo/mongo.ts';
import type { Span } from '../../shared/tracing/tracing.ts';
import type { SeldomLog } from '../access/limits/seldomLog.ts';

/** Ends the sentence of each 404 that an address is wrong by: who mistypes one reads where they are. */
export const DOCUMENTATION = 'The documentation is at /docs.';

/** @returns the refusal of a path that leads nowhere */
export const nothingHere = (): RequestError =>
  new RequestError(404, 'not_found', `There is nothing at this path. ${DOCUMENTATION}`);

export interface ErrorBody {
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
export interface RequestNames {
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
