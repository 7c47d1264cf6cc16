// The end of a hold by the script of a failure lab: from now on the market may fill the order, and the book of this moment does
// where it has crossed its limit.
import { assert } from '../../../../shared/domain/assert.ts';
import { firstHeld } from '../../account/lab/labState.ts';
import type { Context } from '../../fold/decision.ts';
import type { Draft } from '../../fold/draft.ts';
import { fillReleased } from '../../matching/matchBook.ts';

/** Lets the order go whose time comes first. */
export function letGo(draft: Draft, context: Context): void {
  const held = draft.account.lab && firstHeld(draft.account.lab);
  assert(held, 'no order is held for a time');
  draft.record({ type: 'orderLetGo', oid: held.oid });
  fillReleased(draft, held.oid, context);
}
