// Gives requests the names that logs and answers show.
import { randomBytes } from 'node:crypto';

/** Ids that no other process gives: a random part and a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let counter = 0;
  return () => `${prefix}-${(++counter).toString(36)}`;
}
