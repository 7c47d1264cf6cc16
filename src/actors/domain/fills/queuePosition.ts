// The place of a resting order in the public queue at its price (trading-rules 3.2). The queue ahead only ever
// shrinks, by trades at the price and by the displayed book. While the price is out of sight the queue is unknown.
import type { Book } from '../../../market/domain/marketView.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { RestingState } from '../messages/event.ts';
import { displayedAt, UNKNOWN_QUEUE as UNKNOWN } from './bookLiquidity.ts';

/** The queue that an order joins now: what is displayed at its price, 0 when it improves the best, or unknown. */
export function aheadOnArrival(book: Book, side: Side, limitPrice: Decimal): string {
  return displayedAt(book, side === 'buy' ? 'bid' : 'ask', limitPrice)?.toString() ?? UNKNOWN;
}

/** The queue after a newer book. */
export function aheadAfterBook(ahead: string, book: Book, { side, limitPrice }: { side: Side; limitPrice: Decimal }): string {
  const displayed = aheadOnArrival(book, side, limitPrice);
  if (ahead === UNKNOWN || displayed === UNKNOWN) return ahead === UNKNOWN ? displayed : ahead;
  return Decimal.min(ahead, displayed).toString();
}

/** What a trade exactly at the limit leaves of the queue, and of the trade for the order itself. An unknown queue takes it all. */
export function passQueue(ahead: string, budget: Decimal): { readonly ahead: string; readonly budget: Decimal } {
  if (ahead === UNKNOWN) return { ahead, budget: ZERO };
  const used = Decimal.min(ahead, budget);
  return { ahead: new Decimal(ahead).minus(used).toString(), budget: budget.minus(used) };
}

/** True when a trade or book of this time and tick came after the order was accepted. */
export function isAfterAcceptance(resting: RestingState, { timeMs, tick }: { timeMs: number; tick?: string }): boolean {
  return timeMs > resting.acceptedFeedTimeMs && (tick === undefined || isLaterTick(tick, resting.acceptedTick));
}

/** Tick ids are `<ms>-<n>`; both parts count as numbers. */
function isLaterTick(a: string, b: string): boolean {
  const [aMs = 0, aNumber = 0] = a.split('-').map(Number);
  const [bMs = 0, bNumber = 0] = b.split('-').map(Number);
  return aMs === bMs ? aNumber > bNumber : aMs > bMs;
}
