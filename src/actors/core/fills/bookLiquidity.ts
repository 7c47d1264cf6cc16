// The displayed book as one account finds it: how a crossing order takes it, level by level, and what the account has
// taken before, so that the same liquidity is not sold to it twice (trading-rules 3.2, 3.4). A walk is a plan and
// changes nothing. Own resting orders in its way are canceled, never filled (trading-rules 2.9). What was taken comes back as
// the level grows, by public trades at its price, and by half for each half-life at newer books; only events change it.
import { isBeyond } from '../../../market/domain/aggregateBook.ts';
import type { MarketTrade } from '../../../market/domain/feed.ts';
import type { Book } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, TakenLevel } from '../account/account.ts';
import type { RestingSide } from '../account/openOrderBook.ts';
import { isWithinLimit } from '../account/ownOrders.ts';
import type { Side } from '../messages/command.ts';
import type { AccountEvent, TakenText } from '../messages/event.ts';
import { type BookSide, betterFrom, overlap, type PriceRange, type ReachableLevel } from './reachableLevels.ts';
import { notShownBefore, UNKNOWN_QUEUE, withBook } from './shownBefore.ts';

/** Feed time in which half of what an account has taken from a level comes back. Longer than the age bound of the book. */
export const TAKEN_HALF_LIFE_MS = 30_000;

export interface WalkInput {
  readonly side: Side;
  readonly limitPrice: Decimal;
  readonly size: Decimal;
  /** Opposite levels, best first: as displayed, and beyond them buckets. */
  readonly levels: readonly ReachableLevel[];
  /** A level as this account sees it; asked only for those that the order reaches. */
  readonly availableAt: (level: ReachableLevel) => AvailableLevel;
  /** Own resting orders of the other side. */
  readonly ownOpposite: RestingSide;
  /** The public queue before one of them, coins, or `unknown`. */
  readonly queueAhead: (oid: number) => string;
}

/** What is taken from one level: one fill. */
export interface Take extends AvailableLevel {
  readonly size: Decimal;
}

export interface Walk {
  readonly takes: readonly Take[];
  /** How many own resting orders of the other side the walk reaches, from the best on. */
  readonly selfTrades: number;
  readonly left: Decimal;
}

/** Walks the book up to the limit. */
export function walkBook(input: WalkInput): Walk {
  const { side, limitPrice, size, levels, availableAt, ownOpposite } = input;
  const takes: Take[] = [];
  let left = size;
  for (const level of levels) {
    if (left.isZero() || !isWithinLimit(level.price, { side, limitPrice })) break;
    const found = availableAt(level);
    const { available } = found;
    const taken = left.lt(available) ? left : available;
    if (taken.isZero()) continue;
    takes.push({ ...found, size: taken });
    left = left.minus(taken);
  }
  if (ownOpposite.size === 0) return { takes, selfTrades: 0, left };
  return { takes, selfTrades: left.isZero() ? reachedBefore(takes.at(-1), input) : ownOpposite.countTo(limitPrice), left };
}

/**
 * How many own orders are reached by a walk that ended inside the level of its last take: those at better prices, and at this one
 * those before which less stands than was taken.
 */
function reachedBefore(last: Take | undefined, { side, ownOpposite, queueAhead }: WalkInput): number {
  if (!last) return 0;
  const { price: limitPrice, consumed, available, size } = last;
  let reached = 0;
  for (const { oid, price } of ownOpposite.rows()) {
    if (!isWithinLimit(price, { side, limitPrice })) break;
    if (price.eq(limitPrice) && size.lte(takenBefore(queueAhead(oid), { consumed, available }))) break;
    reached += 1;
  }
  return reached;
}

/** What the account can still take of a level before it meets its own order there: all of it while the queue is unknown. */
function takenBefore(ahead: string, { consumed, available }: Pick<AvailableLevel, 'consumed' | 'available'>): Decimal {
  if (ahead === UNKNOWN_QUEUE) return available;
  const standing = new Decimal(ahead).minus(consumed);
  return standing.isNeg() ? ZERO : standing;
}

/** What the takes come to, USD. */
export function costOf(takes: readonly Take[]): Decimal {
  let cost = ZERO;
  for (const { price, size } of takes) cost = cost === ZERO ? price.times(size) : cost.plus(price.times(size));
  return cost;
}

/** The order's field with that sum; none when nothing was taken. */
export function filledUsdOf(takes: readonly Take[]): { readonly filledUsd?: string } {
  return takes.length === 0 ? {} : { filledUsd: costOf(takes).toString() };
}

/** What this account finds at one level. */
export interface AvailableLevel extends PriceRange {
  readonly displayed: Decimal;
  /** Taken by this account before, of the level or of a range that it is in. */
  readonly consumed: Decimal;
  /** What the account remembers under this price. */
  readonly known?: Pick<TakenLevel, 'consumed' | 'from'>;
  /** Displayed less taken, never negative, cut to the lot. */
  readonly available: Decimal;
}

export interface LedgerPlace {
  readonly asset: number;
  readonly bookSide: BookSide;
  readonly feedTimeMs: number;
}

/** A side of a coin's book, of which levels are asked. */
export interface SidePlace {
  readonly asset: number;
  readonly bookSide: BookSide;
  readonly sizeDecimals: number;
  readonly book: Pick<Book, 'setMs'>;
}

/**
 * How this account sees levels of one side. What it has taken of a range counts against the best levels in it first.
 * @param levels all that it can reach, best first
 */
export function availabilityOf(
  account: Account,
  levels: readonly ReachableLevel[],
  place: SidePlace,
): (level: ReachableLevel) => AvailableLevel {
  const ledger = account.consumption.get(place.asset)?.[place.bookSide];
  if (ledger === undefined || ledger.size === 0)
    return (level) => availableOf(level, { place, known: undefined, ofOthers: ZERO });
  const knownAt = (price: Decimal): TakenLevel | undefined => {
    const known = ledger.get(price.toString());
    return known && !isOfBookBefore(known, place.book) ? known : undefined;
  };
  const isPlain = !levels.some(({ from }) => from !== undefined) && ![...ledger.values()].some(({ from }) => from !== undefined);
  const ofOthers = isPlain ? undefined : takenAround(ledger, levels, { ...place, knownAt });
  return (level) => availableOf(level, { place, known: knownAt(level.price), ofOthers: ofOthers?.get(level) ?? ZERO });
}

/** What counts against each level beside what was taken at its own price: ranges that it is in, and of a bucket the prices in it. */
function takenAround(
  ledger: ReadonlyMap<string, TakenLevel>,
  levels: readonly ReachableLevel[],
  { bookSide, book, knownAt }: SidePlace & { readonly knownAt: (price: Decimal) => TakenLevel | undefined },
): Map<ReachableLevel, Decimal> {
  const taken = [...ledger].flatMap(([price, entry]) =>
    isOfBookBefore(entry, book)
      ? []
      : [{ price: new Decimal(price), ...(entry.from && { from: new Decimal(entry.from) }), rest: new Decimal(entry.consumed) }],
  );
  const found = new Map<ReachableLevel, Decimal>();
  for (const level of levels) {
    let left = level.size.minus(ownOf(level, knownAt(level.price)));
    for (const range of taken) {
      const isOwn = range.from === undefined && level.from === undefined;
      if (isOwn || !left.gt(0) || range.rest.isZero() || !overlap(bookSide, level, range)) continue;
      const counted = Decimal.min(left, range.rest);
      range.rest = range.rest.minus(counted);
      left = left.minus(counted);
      found.set(level, (found.get(level) ?? ZERO).plus(counted));
    }
  }
  return found;
}

/** What was taken at the price of a displayed level itself. */
const ownOf = ({ from }: ReachableLevel, known: TakenLevel | undefined): Decimal =>
  known === undefined || known.from !== undefined || from !== undefined ? ZERO : new Decimal(known.consumed);

function availableOf(
  level: ReachableLevel,
  { place, known, ofOthers }: { readonly place: SidePlace; readonly known: TakenLevel | undefined; readonly ofOthers: Decimal },
): AvailableLevel {
  const { price, size: displayed, from } = level;
  const consumed = ownOf(level, known).plus(ofOthers);
  const left = consumed.isZero() ? displayed : displayed.minus(consumed);
  const available = left.isNeg() ? ZERO : cutTo(left, place.sizeDecimals);
  return { price, displayed, consumed, available, ...(from && { from }), ...(known && { known }) };
}

/** The event that remembers what was taken from these levels, or undefined when nothing was. */
export function takenAfterFills(
  takes: readonly (Pick<AvailableLevel, 'price' | 'from' | 'known'> & { readonly size: Decimal })[],
  { asset, bookSide, feedTimeMs }: LedgerPlace,
): AccountEvent | undefined {
  if (takes.length === 0) return undefined;
  const levels = takes.map(({ price, from, known, size }): TakenText => {
    const consumed = size.plus(known?.consumed ?? ZERO).toString();
    const begins = betterFrom(bookSide, from, known?.from === undefined ? undefined : new Decimal(known.from));
    return begins === undefined
      ? [price.toString(), consumed, feedTimeMs]
      : [price.toString(), consumed, feedTimeMs, null, begins.toString()];
  });
  return { type: 'consumptionSet', asset, bookSide, levels };
}

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

/** True when a test has set the book since (docs/control.md): its levels are new. */
const isOfBookBefore = ({ lastFillFeedTimeMs }: TakenLevel, { setMs = 0 }: Pick<Book, 'setMs'>): boolean =>
  lastFillFeedTimeMs < setMs;
