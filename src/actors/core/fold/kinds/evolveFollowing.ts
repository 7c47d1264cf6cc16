// What an account knows of the address that it follows, after an event.
import { assert } from '../../../../shared/domain/assert.ts';
import { Decimal } from '../../../../shared/domain/decimal.ts';
import { noteSeen, withHeard } from '../../account/group/following.ts';
import type { AccountEvent } from '../../messages/event.ts';
import type { WritableAccount } from '../writableAccount.ts';

type FollowingEvent = Extract<
  AccountEvent,
  {
    type:
      | ('followBegun' | 'followEnded' | 'followTermBegun')
      | ('sourceOrderSeen' | 'sourceOrderEnded' | 'sourceFilled' | 'sourceTaken');
  }
>;

export function evolveFollowing(writable: WritableAccount, event: FollowingEvent): void {
  const { account } = writable;
  if (event.type === 'followBegun') {
    const { id, sinceMs, orders } = event;
    const copies = orders.map(([oid, sourceOid]) => [sourceOid, { oid, before: '0', taken: '0' }] as const);
    account.following = { id, term: 0, sinceMs, cursorMs: sinceMs, floorMs: sinceMs - 1, heard: [], orders: new Map(copies) };
    return;
  }
  if (event.type === 'followEnded') {
    account.following = undefined;
    return;
  }
  const { following } = account;
  assert(following, `${event.type} in an account that follows no address`);
  if (event.type === 'followTermBegun') {
    account.following = { ...following, term: event.term };
    return;
  }
  const { sourceOid } = event;
  const seen = following.orders.get(sourceOid);
  const orders = writable.seenOrders();
  switch (event.type) {
    case 'sourceOrderSeen': {
      const { oid, before } = event;
      const { taken, ordered } = seen ?? { taken: '0' };
      noteSeen(orders, sourceOid, {
        ...(oid !== undefined && { oid }),
        before,
        taken,
        ...(ordered !== undefined && { ordered }),
      });
      return;
    }
    case 'sourceOrderEnded':
      assert(seen, `order ${sourceOid} of the address was not seen`);
      noteSeen(orders, sourceOid, { ...seen, isOver: true });
      return;
    case 'sourceTaken':
      assert(seen, `order ${sourceOid} of the address was not heard of`);
      noteSeen(orders, sourceOid, { ...seen, ordered: new Decimal(seen.ordered ?? 0).plus(event.size).toString() });
      return;
    default: {
      const { timeMs, tid, taken: part } = event;
      account.following = { ...withHeard(following, { timeMs, tid, oid: sourceOid }), orders };
      const before = seen ?? { taken: '0', isOver: true as const };
      noteSeen(orders, sourceOid, { ...before, taken: new Decimal(before.taken).plus(part).toString() });
    }
  }
}
