// The form of a client's Idempotency-Key: the same for account commands and for every other endpoint.
import type { Context } from 'koa';
import { RequestError } from '../../shared/errors.ts';

/** Printable ASCII without spaces, as other services take it. */
const FORM = /^[!-~]{1,128}$/;

/** @returns undefined when the request has none. @throws {RequestError} 400 when it is no such text */
export function idempotencyKeyOf({ req }: Pick<Context, 'req'>): string | undefined {
  const given = req.headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && FORM.test(given)) return given;
  throw new RequestError(400, 'invalid_idempotency_key', 'Idempotency-Key must be 1 to 128 printable characters without spaces.');
}

/** The answer where a key came with another body than the first time. */
export const keyReused = (): RequestError =>
  new RequestError(422, 'idempotency_mismatch', 'This Idempotency-Key was used before with another body; nothing was done.');
