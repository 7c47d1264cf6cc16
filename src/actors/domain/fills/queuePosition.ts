// The place of a resting order in the public queue at its price (trading-rules 3.2, 3.6). The queue ahead only ever
// shrinks, by trades at the price and by the displayed book. While the price is out of sight the queue is unknown.
import type { Book } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, quotient, ZERO } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { RestingState } from '../messages/event.ts';
import type { FillModel } from '../messages/fork/terms.ts';
import { displayedAt, UNKNOWN_QUEUE as UNKNOWN } from './bookLiquidity.ts';

/** The queue that an order joins now: what is displayed at its price, 0 when it improves the best, or unknown. */
export function aheadOnArrival(book: Book, side: Side, limitPrice: Decimal): string {
  return displayedAt(book, side === 'buy' ? 'bid' : 'ask', limitPrice)?.toString() ?? UNKNOWN;
}

/** What an order that comes to rest carries of its fill model. */
export function restingUnder(model: FillModel, ahead: string): Pick<RestingState, 'model' | 'shown'> {
  if (model === 'queue') return {};
  return { model, ...(model === 'probable' && ahead !== UNKNOWN && { shown: ahead }) };
}

/** What is ahead of an order, and for a `probable` one what is displayed at its price. */
export type Place = Pick<RestingState, 'ahead' | 'shown'>;

export const isSamePlace = (a: Place, b: Place): boolean => a.ahead === b.ahead && a.shown === b.shown;

/** The place after a newer book. */
export function placeAfterBook(
  { ahead, shown, model }: RestingState,
  book: Book,
  { side, limitPrice, sizeDecimals }: { side: Side; limitPrice: Decimal; sizeDecimals: number },
): Place {
  const displayed = aheadOnArrival(book, side, limitPrice);
  if (displayed === UNKNOWN) return shown === undefined ? { ahead } : { ahead, shown };
  if (model !== 'probable') return { ahead: ahead === UNKNOWN ? displayed : Decimal.min(ahead, displayed).toString() };
  if (ahead === UNKNOWN || shown === undefined) return { ahead: displayed, shown: displayed };
  return { ahead: aheadAfterCancels({ ahead, shown, displayed }, sizeDecimals), shown: displayed };
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
 * What a trade exactly at the limit leaves of the queue, and of the trade for the order itself. An unknown queue takes it all.
 * @param budget what own orders before this one have left of the trade
 */
export function passQueue(
  { ahead, shown }: Place,
  { budget, size }: { readonly budget: Decimal; readonly size: Decimal },
): { readonly place: Place; readonly budget: Decimal } {
  if (ahead === UNKNOWN) return { place: { ahead }, budget: ZERO };
  const used = Decimal.min(ahead, budget);
  const left = new Decimal(ahead).minus(used);
  const place = {
    ahead: left.toString(),
    ...(shown !== undefined && { shown: Decimal.max(left, new Decimal(shown).minus(size)).toString() }),
  };
  return { place, budget: budget.minus(used) };
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
