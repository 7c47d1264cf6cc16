// What a key with limits of trading may not begin: positions and orders of an address come in without being orders of the key, so none of
// its limits would hold for them.
import { RequestError } from '../../shared/errors.ts';
import type { Caller } from '../accounts/services.ts';

/** @throws {RequestError} 403 */
export function requireUnlimited({ guard }: Pick<Caller, 'guard'>): void {
  if (guard === undefined) return;
  throw new RequestError(
    403,
    'limited_key',
    'This API key has limits of trading, which an address would not be held to: use another key.',
  );
}
