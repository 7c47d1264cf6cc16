// An imported account begins to follow its address, or ends it. While it follows, what the address does comes as commands (followSource.ts);
// its user trades in it as in any other.
import type { Account } from '../../account/account.ts';
import { findOrder } from '../../account/ownOrders.ts';
import type { Decision } from '../../fold/decision.ts';
import type { AccountCommand } from '../../messages/command.ts';
import type { AccountEvent } from '../../messages/event.ts';

type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;

/** The same once more changes nothing. */
export function followAddress(account: Account, { id, source, sinceMs, orders }: CommandOf<'followAddress'>): Decision {
  if (account.following?.id === id) return done([]);
  if (account.following !== undefined) return refused('The account mirrors its address already.');
  if (account.imported?.source !== source) return refused('Only an account that began with the address can mirror it.');
  // What the import has placed is a copy, whatever has become of it since: one that has filled already must not be made up for. Where only what
  // comes from now on counts, an order without an open copy gets another one.
  const goesOnFromImport = sinceMs <= account.imported.timeMs;
  const copies = goesOnFromImport ? orders : orders.filter(([oid]) => findOrder(account, { oid }) !== undefined);
  return done([{ type: 'followBegun', id, sinceMs, orders: copies }]);
}

/** Orders and positions stay as they are. */
export function unfollowAddress({ following }: Account, { id }: CommandOf<'unfollowAddress'>): Decision {
  return done(following?.id === id ? [{ type: 'followEnded', id }] : []);
}

const refused = (text: string): Decision => ({
  ...{ events: [], outcome: { type: 'refused', text }, requests: 0, leavesNoEntry: true },
});

const done = (events: readonly AccountEvent[]): Decision => ({
  ...{ events, outcome: { type: 'done' }, requests: 0, leavesNoEntry: true },
});
