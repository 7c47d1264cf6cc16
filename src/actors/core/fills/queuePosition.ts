// The place of a resting order in the public queue at its price (trading-rules 3.2, 3.6). The queue ahead only ever
// shrinks, by trades at the price and by the displayed book. While the price is out of sight the queue is unknown.
import type { Book } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, quotient, ZERO } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/order.ts';
import type { RestingState } from '../messages/queuePlace.ts';
import type { FillModel } from '../messages/terms.ts';
import { UNKNOWN_QUEUE as UNKNOWN } from './bookLiquidity.ts';
import { displayedAt, notShownBefore, withBook } from './takenLiquidity.ts';

/** The queue that an order joins now: what is displayed at its price, 0 when it improves the best, or unknown. */
export function aheadOnArrival(book: Book, side: Side, limitPrice: Decimal): string {
  return displayedAt(book, side === 'buy' ? 'bid' : 'ask', limitPrice)?.toString() ?? UNKNOWN;
}

/** What an order that comes to rest carries of its fill model. */
export function restingUnder(model: FillModel, ahead: string): Pick<RestingState, 'model' | 'shown'> {
  if (model === 'queue') return {};
  return { model, ...(model === 'probable' && ahead !== UNKNOWN && { shown: ahead }) };
}

/** What is ahead of an order, for a `probable` one what is displayed at its price, and what books took off `ahead`. */
export type QueuePlace = Pick<RestingState, 'ahead' | 'shown' | 'takenOff'>;

export const isSamePlace = (a: QueuePlace, b: QueuePlace): boolean => a.ahead === b.ahead && a.shown === b.shown;

/** The place after a newer book. What it takes off is remembered: the trades that it contains may come after it. */
export function placeAfterBook(
  resting: RestingState,
  book: Book,
  { side, limitPrice, sizeDecimals }: { side: Side; limitPrice: Decimal; sizeDecimals: number },
): QueuePlace {
  const { ahead, shown, model, takenOff } = resting;
  const displayed = aheadOnArrival(book, side, limitPrice);
  if (displayed === UNKNOWN) return resting;
  const place = model === 'probable' ? { shown: displayed } : {};
  if (ahead === UNKNOWN) return { ...place, ahead: displayed, takenOff: withBook(takenOff, [book.timeMs, UNKNOWN]) };
  const after =
    shown === undefined ? Decimal.min(ahead, displayed).toString() : aheadAfterCancels({ ahead, shown, displayed }, sizeDecimals);
  const off = new Decimal(ahead).minus(after);
  if (off.isZero()) return { ...place, ahead: after, ...(takenOff && { takenOff }) };
  return { ...place, ahead: after, takenOff: withBook(takenOff, [book.timeMs, off.toString()]) };
}

/** Cancels fall on the two parts of the queue as this power of their sizes: the longer part loses more than its share. */
const CANCEL_POWER = 2;

/**
 * What cancels leave ahead, by the power law f(x) = x^n: of what has gone from the level, f(ahead) / (f(ahead) + f(behind)) was ahead, cut
 * to the lot. What is behind cannot lose more than there is. No draw: the same books give the same places.
 */
function aheadAfterCancels(
  { ahead, shown, displayed }: { readonly ahead: string; readonly shown: string; readonly displayed: string },
  sizeDecimals: number,
): string {
  const front = new Decimal(ahead);
  const gone = new Decimal(shown).minus(displayed);
  if (!gone.gt(0)) return Decimal.min(front, displayed).toString();
  const [atFront, behind] = [front, new Decimal(shown).minus(front)].map((size) => powerOf(size)) as [Decimal, Decimal];
  const fromFront = cutTo(quotient(gone.times(atFront), atFront.plus(behind)), sizeDecimals);
  return Decimal.max(0, Decimal.min(front.minus(fromFront), displayed)).toString();
}

const powerOf = (size: Decimal): Decimal =>
  Array.from({ length: CANCEL_POWER - 1 }).reduce<Decimal>((power) => power.times(size), size);

/**
 * What a trade exactly at the limit leaves of the queue, and of the trade for the order itself. An unknown queue takes it all. What a book of the
 * trade's time or later has taken off the queue, the trade does not take off once more.
 * @param budget what own orders before this one have left of the trade
 */
export function passQueue(
  place: QueuePlace,
  { budget, size, timeMs }: { readonly budget: Decimal; readonly size: Decimal; readonly timeMs: number },
): { readonly place: QueuePlace; readonly budget: Decimal } {
  const { ahead, shown, takenOff: before } = place;
  if (ahead === UNKNOWN) return { place, budget: ZERO };
  const { size: rest, takenOff } = notShownBefore(before, { timeMs, size: budget });
  const used = Decimal.min(ahead, rest);
  const left = new Decimal(ahead).minus(used);
  const isShown = !rest.eq(budget);
  if (used.isZero() && !isShown && shown === undefined) return { place, budget };
  const passed = {
    ahead: left.toString(),
    ...(shown !== undefined && { shown: isShown ? shown : Decimal.max(left, new Decimal(shown).minus(size)).toString() }),
    ...(takenOff && { takenOff }),
  };
  return { place: passed, budget: rest.minus(used) };
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
