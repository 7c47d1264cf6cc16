// Trades that a book has shown before they came (trading-rules 3.2). A book contains the trades up to its time, and it may be read before them. What it
// took off a queue, or off taken liquidity, is remembered until no such trade can come any more, so that a trade is not counted twice.
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { TakenOff } from '../messages/event.ts';

/** A queue ahead while its price is out of sight. */
export const UNKNOWN_QUEUE = 'unknown';

/** Books that are told apart; of more the two oldest become one. */
const BOOKS_MAX = 4;

/** With what one more book took off. */
export function withBook(before: TakenOff = [], [timeMs, size]: TakenOff[number]): TakenOff {
  const all = [...before, [timeMs, size] as const];
  const [first, second, ...rest] = all;
  if (all.length <= BOOKS_MAX || first === undefined || second === undefined) return all;
  return [[second[0], sumOf(first[1], second[1])], ...rest];
}

const sumOf = (a: string, b: string): string =>
  a === UNKNOWN_QUEUE || b === UNKNOWN_QUEUE ? UNKNOWN_QUEUE : new Decimal(a).plus(b).toString();

/**
 * How much of a trade books had shown before it came.
 * @returns what they had not shown, and what is left to be expected; no trade is older than one before it
 */
export function notShownBefore(
  before: TakenOff | undefined,
  { timeMs, size }: { readonly timeMs: number; readonly size: Decimal },
): { readonly size: Decimal; readonly takenOff?: TakenOff } {
  const takenOff: (readonly [number, string])[] = [];
  let rest = size;
  for (const [bookTimeMs, text] of before ?? []) {
    if (bookTimeMs < timeMs) continue;
    if (text === UNKNOWN_QUEUE) {
      rest = ZERO;
      takenOff.push([bookTimeMs, text]);
      continue;
    }
    const shown = Decimal.min(text, rest);
    rest = rest.minus(shown);
    const left = new Decimal(text).minus(shown);
    if (!left.isZero()) takenOff.push([bookTimeMs, left.toString()]);
  }
  return { size: rest, ...(takenOff.length > 0 && { takenOff }) };
}
