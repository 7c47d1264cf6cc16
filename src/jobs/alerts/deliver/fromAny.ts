// Where there is room for some of the accounts of a user only, none is the first for good: a busy one keeps no other waiting.
import { randomInt } from 'node:crypto';

/** The same in the same round, begun at any of them. */
export function fromAny(accounts: readonly string[]): string[] {
  const first = accounts.length === 0 ? 0 : randomInt(accounts.length);
  return [...accounts.slice(first), ...accounts.slice(0, first)];
}
