// What a key with limits of trading may not do: what none of its limits would hold for. Positions and orders of an address come in without
// being orders of the key; money that a program gives its account, and a history that it deletes, are its owner's to decide.
import { RequestError } from '../../shared/errors.ts';
import type { Caller } from '../accounts/services.ts';

const WHY = {
  address: 'which an address would not be held to',
  money: 'so it neither resets its account nor changes its balance',
} as const;

/** @throws {RequestError} 403 */
export function requireUnlimited({ guard }: Pick<Caller, 'guard'>, about: keyof typeof WHY): void {
  if (guard === undefined) return;
  throw new RequestError(403, 'limited_key', `This API key has limits of trading, ${WHY[about]}: use another key.`);
}
