// How taken liquidity comes back (trading-rules 3.2): as the level grows, by public trades at its price, and by half for each half-life at
// newer books. Only events change it.
import { isBeyond } from '../../../market/domain/aggregateBook.ts';
import type { MarketTrade } from '../../../market/domain/feed.ts';
import type { Book } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, TakenLevel } from '../account/account.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { TakenOff, TakenText } from '../messages/queuePlace.ts';
import { type BookSide, isOfBookBefore, type LedgerPlace, overlap, UNKNOWN_QUEUE } from './bookLiquidity.ts';

/** Feed time in which half of what an account has taken from a level comes back. Longer than the age bound of the book. */
export const TAKEN_HALF_LIFE_MS = 30_000;

/**
 * What a newer book leaves of the taken liquidity of one side (trading-rules 3.2): it is halved for each full half-life since the last fill
 * on its level, then no more than is displayed where the level is. Undefined when nothing changes.
 * @param place.feedTimeMs newest upstream time of the coin
 */
export function takenAfterBook(
  account: Account,
  book: Book,
  { feedTimeMs, ...place }: TakenPlace & LedgerPlace,
): AccountEvent | undefined {
  return takenAfter(account, place, (price, entry) =>
    afterBook(entry, displayedIn(book, place.bookSide, { price, from: entry.from }), {
      ...{ book, feedTimeMs, sizeDecimals: place.sizeDecimals },
    }),
  );
}

/**
 * What public trades leave of it (trading-rules 3.2, 3.5): what was traded at a level's price, or in a range, after the last fill there has really gone.
 * A trade counts once: first at its price, then in ranges, and never for what a book has shown of it before.
 * @param trades of the coin, each once
 */
export function takenAfterTrades(
  account: Account,
  trades: readonly MarketTrade[],
  place: Omit<TakenPlace, 'sizeDecimals'>,
): AccountEvent | undefined {
  const { asset, bookSide } = place;
  const ledger = account.consumption.get(asset)?.[bookSide];
  if (ledger === undefined) return undefined;
  const ranges = [...ledger].flatMap(([price, { from }]) => (from === undefined ? [] : [{ key: price, from, price }]));
  const left = new Map<string, TakenLevel>();
  for (const { side, price: text, size, timeMs } of trades) {
    if (side !== (bookSide === 'ask' ? 'buy' : 'sell')) continue;
    const price = new Decimal(text);
    const inRanges = ranges.filter((range) =>
      overlap(bookSide, { price }, { price: new Decimal(range.price), from: new Decimal(range.from) }),
    );
    let rest = new Decimal(size);
    for (const key of new Set([price.toString(), ...inRanges.map((range) => range.key)])) {
      const entry = left.get(key) ?? ledger.get(key);
      if (entry === undefined || entry.consumed === NOTHING || timeMs <= entry.lastFillFeedTimeMs) continue;
      const after = afterTrade(entry, { timeMs, size: rest });
      left.set(key, after.entry);
      rest = after.rest;
    }
  }
  return left.size === 0 ? undefined : takenAfter(account, place, (price, entry) => left.get(price) ?? entry);
}

/** @returns the entry, and what of the trade is still to be counted elsewhere */
function afterTrade(
  { takenOff: before, ...entry }: TakenLevel,
  trade: { readonly timeMs: number; readonly size: Decimal },
): { readonly entry: TakenLevel; readonly rest: Decimal } {
  const { size, takenOff } = notShownBefore(before, trade);
  const counted = Decimal.min(size, entry.consumed);
  const consumed = new Decimal(entry.consumed).minus(counted).toString();
  return { entry: { ...entry, consumed, ...(takenOff && { takenOff }) }, rest: size.minus(counted) };
}

interface TakenPlace {
  readonly asset: number;
  readonly bookSide: BookSide;
  readonly sizeDecimals: number;
}

function takenAfter(
  account: Account,
  { asset, bookSide }: Pick<TakenPlace, 'asset' | 'bookSide'>,
  change: (price: string, entry: TakenLevel) => TakenLevel,
): AccountEvent | undefined {
  const ledger = account.consumption.get(asset)?.[bookSide];
  if (!ledger || ledger.size === 0) return undefined;
  const levels: TakenText[] = [];
  for (const [price, entry] of ledger) {
    const after = change(price, entry);
    if (after.consumed === entry.consumed && after.halvings === entry.halvings && sizeOf(after) === sizeOf(entry)) continue;
    levels.push(toText(price, after));
  }
  // In the order of a snapshot, so that an account that was loaded from one decides the same to the letter.
  levels.sort(([a], [b]) => (a < b ? -1 : 1));
  return levels.length > 0 ? { type: 'consumptionSet', asset, bookSide, levels } : undefined;
}

function toText(price: string, { consumed, lastFillFeedTimeMs, halvings, from, takenOff }: TakenLevel): TakenText {
  const text = [price, consumed, lastFillFeedTimeMs] as const;
  if (takenOff !== undefined && consumed !== NOTHING) return [...text, halvings ?? null, from ?? null, takenOff];
  if (from !== undefined) return [...text, halvings ?? null, from];
  return halvings === undefined ? text : [...text, halvings];
}

/** What books took off in all: it changes with each trade that they had shown. */
const sizeOf = ({ takenOff = [] }: TakenLevel): string => takenOff.map(([, size]) => size).join();

const NOTHING = '0';
const TWO = new Decimal(2);

/** @param displayed as `displayedAt` says it */
function afterBook(
  entry: TakenLevel,
  displayed: Decimal | undefined,
  { book, feedTimeMs, sizeDecimals }: { readonly book: Book; readonly feedTimeMs: number; readonly sizeDecimals: number },
): TakenLevel {
  const { lastFillFeedTimeMs, halvings: before = 0, from, takenOff } = entry;
  if (isOfBookBefore(entry, book)) return { consumed: NOTHING, lastFillFeedTimeMs };
  const halvings = Math.max(before, Math.floor((feedTimeMs - lastFillFeedTimeMs) / TAKEN_HALF_LIFE_MS));
  const taken = new Decimal(entry.consumed);
  const halved = halvings === before ? taken : cutTo(taken.div(TWO.pow(halvings - before)), sizeDecimals);
  const kept = { lastFillFeedTimeMs, ...(halvings > 0 && { halvings }), ...(from !== undefined && { from }) };
  if (displayed === undefined || displayed.isZero() || displayed.gte(halved))
    return { consumed: halved.toString(), ...kept, ...(takenOff && { takenOff }) };
  return {
    consumed: displayed.toString(),
    ...kept,
    takenOff: withBook(takenOff, [book.timeMs, halved.minus(displayed).toString()]),
  };
}

/** Displayed size at a price: 0 where the visible range has no such level, undefined beyond that range. */
export function displayedAt(book: Book, bookSide: BookSide, price: Decimal): Decimal | undefined {
  const levels = bookSide === 'bid' ? book.bids : book.asks;
  for (const level of levels) {
    const order = level.price.cmp(price);
    if (order === 0) return level.size;
    if (bookSide === 'bid' ? order < 0 : order > 0) return ZERO;
  }
  const last = book.shownTo[bookSide];
  const isBeyond = last !== undefined && (bookSide === 'bid' ? price.lt(last) : price.gt(last));
  return isBeyond ? undefined : ZERO;
}

/** The same of a range: all that it has; undefined while its end is beyond the visible range. */
function displayedIn(
  book: Book,
  bookSide: BookSide,
  { price: text, from }: { readonly price: string; readonly from: string | undefined },
): Decimal | undefined {
  const price = new Decimal(text);
  if (from === undefined) return displayedAt(book, bookSide, price);
  const last = book.shownTo[bookSide];
  if (last !== undefined && isBeyond(bookSide, price, last)) return undefined;
  const range = { price, from: new Decimal(from) };
  const levels = (bookSide === 'bid' ? book.bids : book.asks).filter((level) => overlap(bookSide, level, range));
  return levels.reduce((sum, { size }) => sum.plus(size), ZERO);
}

// Trades that a book has shown before they came (trading-rules 3.2). A book contains the trades up to its time, and it may be read before
// them. What it took off a queue, or off taken liquidity, is remembered until no such trade can come any more, so that a trade is not
// counted twice.

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
