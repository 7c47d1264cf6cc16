// What the script of a failure lab does to an order that rests: it is held. A trigger order goes to the market when it fires: its script waits
// with it.
import { HELD_MAX } from '../account/labState.ts';
import type { Draft } from '../fold/draft.ts';
import { type Context, clockOf } from '../fold/pipeline.ts';
import type { OrderScript } from '../messages/labNote.ts';
import type { OrderView } from '../messages/order.ts';

/** The script that an order was placed under. */
export const scriptOf = ({ lab }: Pick<OrderView, 'lab'>): OrderScript | undefined =>
  lab?.find(({ act }) => act === 'place')?.script;

/** Whether an order that is to be held finds no place among those that are. @param leaving how many of them are about to end */
export const isWithoutPlace = (
  { account: { lab } }: Pick<Draft, 'account'>,
  script: OrderScript | undefined,
  leaving = 0,
): boolean => script?.holdMs !== undefined && (lab?.held.length ?? 0) - leaving >= HELD_MAX;

/** Holds the order, where it is to be and rests. */
export function holdIfWanted(draft: Draft, oid: number, script: OrderScript | undefined, context: Context): void {
  if (script?.holdMs === undefined || !draft.account.orders.has(oid)) return;
  const { holdMs } = script;
  draft.record({ type: 'orderHeld', oid, untilMs: holdMs === null ? null : clockOf(context) + holdMs });
}
