// What an account does by itself when the time it asked for has come (`nextDueMs`).
import type { Account } from './account.ts';
import type { Context } from './decision.ts';
import type { AccountEvent } from './event.ts';

/** Events of all that is due by `context.nowMs`. Nothing that an account can hold so far is due by itself. */
export function decideDue(_account: Account, _context: Context): readonly AccountEvent[] {
  return [];
}
