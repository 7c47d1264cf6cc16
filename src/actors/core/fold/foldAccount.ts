// What an account is: a snapshot and the entries after it, folded. An owner that recovers makes states here, and so does an
// operator's command that wants to know what an owner would make.
import { type Account, emptyAccount } from '../account/account.ts';
import { fromSnapshot } from '../account/snapshot.ts';
import type { AccountEntry } from '../messages/entry.ts';
import { applyEntry } from './evolve.ts';

/**
 * @param snapshot its text; undefined = the account begins empty
 * @param entries oldest first; those that the state covers are left out
 * @throws {NewerFormat} when a newer build has written one of them; Error when they cannot be folded
 */
export function foldAccount(accountId: string, snapshot: string | undefined, entries: Iterable<AccountEntry>): Account {
  let account = snapshot === undefined ? emptyAccount(accountId) : fromSnapshot(snapshot);
  for (const entry of entries) {
    if (entry.seq > account.seq) account = applyEntry(account, entry);
  }
  return account;
}
