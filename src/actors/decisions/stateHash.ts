// Names an account's state: whoever computes it, at any pod, from a snapshot or by replay, gets the same at the same entry.
import { createHash } from 'node:crypto';
import type { Account } from '../domain/account/account.ts';
import { toSnapshot } from '../domain/account/snapshot.ts';
import type { Outcome } from '../domain/messages/outcome.ts';

/** SHA-256 of the account's snapshot text, hex. */
export const stateHashOf = (account: Account): string => createHash('sha256').update(toSnapshot(account, 1)).digest('hex');

export const withStateHash = (outcome: Outcome, account: Account): Outcome =>
  outcome.type === 'answer' ? { ...outcome, stateHash: stateHashOf(account) } : outcome;
