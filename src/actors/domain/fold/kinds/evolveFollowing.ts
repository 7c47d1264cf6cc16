// What an account knows of the address that it follows, after an event.
import { assert } from '../../../../shared/domain/assert.ts';
import { Decimal } from '../../../../shared/domain/decimal.ts';
import { noteSeen } from '../../account/group/following.ts';
import type { AccountEvent } from '../../messages/event.ts';
import type { WritableAccount } from '../writableAccount.ts';

type FollowingEvent = Extract<
  AccountEvent,
  { type: 'followBegun' | 'followEnded' | 'followTermBegun' | 'sourceOrderSeen' | 'sourceOrderEnded' | 'sourceFilled' }
>;

export function evolveFollowing(writable: WritableAccount, event: FollowingEvent): void {
  const { account } = writable;
  if (event.type === 'followBegun') {
    const { id, sinceMs, orders } = event;
    const copies = orders.map(([oid, sourceOid]) => [sourceOid, { oid, before: '0', taken: '0' }] as const);
    account.following = { id, term: 0, sinceMs, cursorMs: sinceMs, tids: [], orders: new Map(copies) };
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
      noteSeen(orders, sourceOid, { ...(oid !== undefined && { oid }), before, taken: seen?.taken ?? '0' });
      return;
    }
    case 'sourceOrderEnded':
      assert(seen, `order ${sourceOid} of the address was not seen`);
      noteSeen(orders, sourceOid, { ...seen, isOver: true });
      return;
    default: {
      const { tid, timeMs, taken: part } = event;
      const tids = timeMs === following.cursorMs ? [...following.tids, tid] : [tid];
      account.following = { ...following, orders, cursorMs: timeMs, tids };
      const before = seen ?? { taken: '0', isOver: true as const };
      noteSeen(orders, sourceOid, { ...before, taken: new Decimal(before.taken).plus(part).toString() });
    }
  }
}
