// The `?limit` of paged lists: read and published in the same way everywhere.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

/** For the published contract. */
export const limitParameter = Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }));

/** @throws {RequestError} 400 for anything but a whole number in its bounds, given once or not at all */
export function readLimit(given: string | string[] | undefined): number {
  if (given === undefined) return LIMIT_DEFAULT;
  const limit = typeof given === 'string' && /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > LIMIT_MAX)
    throw new RequestError(400, 'invalid_request', `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}
