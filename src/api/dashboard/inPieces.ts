// Works through many items in pieces, between which the node serves other requests: a read of 100,000 rows must not hold
// up an order.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items of one piece: a millisecond or two even where each costs much. */
export const PIECE = 64;

/** Gives all items to `take`, in their order. */
export async function inPieces<Item>(items: readonly Item[], take: (piece: readonly Item[]) => void): Promise<void> {
  for (let from = 0; from < items.length; from += PIECE) {
    take(items.slice(from, from + PIECE));
    if (from + PIECE < items.length) await nextTurn();
  }
}
