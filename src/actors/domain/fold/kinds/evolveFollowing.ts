// What an account knows of the address that it follows, after an event.
import { assert } from '../../../../shared/domain/assert.ts';
import { Decimal } from '../../../../shared/domain/decimal.ts';
import { type Following, withSeen } from '../../account/group/following.ts';
import type { AccountEvent } from '../../messages/event.ts';

type FollowingEvent = Extract<
  AccountEvent,
  { type: 'followBegun' | 'followEnded' | 'followTermBegun' | 'sourceOrderSeen' | 'sourceOrderEnded' | 'sourceFilled' }
>;

/** @returns undefined where it follows none any more */
export function evolveFollowing(following: Following | undefined, event: FollowingEvent): Following | undefined {
  if (event.type === 'followBegun') {
    const { id, sinceMs, orders } = event;
    const copies = orders.map(([oid, sourceOid]) => [sourceOid, { oid, before: '0', taken: '0' }] as const);
    return { id, term: 0, sinceMs, cursorMs: sinceMs, tids: [], orders: new Map(copies) };
  }
  if (event.type === 'followEnded') return undefined;
  assert(following, `${event.type} in an account that follows no address`);
  if (event.type === 'followTermBegun') return { ...following, term: event.term };
  const seen = following.orders.get(event.sourceOid);
  switch (event.type) {
    case 'sourceOrderSeen': {
      const { oid, before } = event;
      const known = { taken: seen?.taken ?? '0' };
      return withSeen(following, event.sourceOid, { ...(oid !== undefined && { oid }), before, ...known });
    }
    case 'sourceOrderEnded':
      assert(seen, `order ${event.sourceOid} of the address was not seen`);
      return withSeen(following, event.sourceOid, { ...seen, isOver: true });
    default:
      return withFill(following, event);
  }
}

function withFill(
  following: Following,
  { sourceOid, tid, timeMs, taken: part }: Extract<AccountEvent, { type: 'sourceFilled' }>,
) {
  const seen = following.orders.get(sourceOid) ?? { taken: '0', isOver: true as const };
  const taken = new Decimal(seen.taken).plus(part).toString();
  const tids = timeMs === following.cursorMs ? [...following.tids, tid] : [tid];
  return withSeen({ ...following, cursorMs: timeMs, tids }, sourceOid, { ...seen, taken });
}
