// Names an account's state: whoever computes it, at any pod, from a snapshot or by replay, gets the same at the same entry.
import { createHash } from 'node:crypto';
import type { Account } from './domain/account.ts';
import type { Outcome } from './domain/outcome.ts';
import { toSnapshot } from './domain/snapshot.ts';

/** SHA-256 of the account's snapshot text, hex. */
export const stateHashOf = (account: Account): string => createHash('sha256').update(toSnapshot(account)).digest('hex');

export const withStateHash = (outcome: Outcome, account: Account): Outcome =>
  outcome.type === 'answer' ? { ...outcome, stateHash: stateHashOf(account) } : outcome;
