// The displayed book as one account finds it: how a crossing order takes it, level by level, and what the account has
// taken before, so that the same liquidity is not sold to it twice (trading-rules 3.2, 3.4). A walk is a plan and
// changes nothing. Own resting orders in its way are canceled, never filled (trading-rules 2.9).
import { isBeyond, sizeBeyond } from '../../../market/domain/aggregateBook.ts';
import type { Book, BookLevel, DeepBook } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, TakenLevel } from '../account/account.ts';
import type { RestingSide } from '../account/openOrderBook.ts';
import { isWithinLimit } from '../account/ownOrders.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Side } from '../messages/order.ts';
import type { TakenText } from '../messages/queuePlace.ts';

/** A queue ahead while its price is out of sight. */
export const UNKNOWN_QUEUE = 'unknown';

export type BookSide = 'bid' | 'ask';

/** Coins between two prices of one side; `from` is the better one and not of the range. Absent: at `price` alone. */
interface PriceRange {
  readonly price: Decimal;
  readonly from?: Decimal;
}

interface ReachableLevel extends BookLevel, PriceRange {}

/**
 * Opposite levels that an order can reach, best first (trading-rules 3.5). Beyond the last displayed level they are buckets of the aggregated
 * book, where one is known. A bucket counts at its worst price, and only with what no displayed level has of it.
 */
export function reachableLevels(
  { book, deep }: { readonly book: Book; readonly deep?: DeepBook | undefined },
  bookSide: BookSide,
): readonly ReachableLevel[] {
  const shown = bookSide === 'bid' ? book.bids : book.asks;
  const last = book.shownTo[bookSide];
  if (deep === undefined || last === undefined) return shown;
  const beyond = (bookSide === 'bid' ? deep.bids : deep.asks).flatMap((bucket): ReachableLevel[] => {
    const { price, size, from } = bucket;
    if (!isBeyond(bookSide, price, last)) return [];
    if (!isBeyond(bookSide, last, from)) return [bucket];
    const left = size.minus(sizeBeyond(shown, bookSide, from));
    return left.gt(0) ? [{ ...bucket, size: left, from: last }] : [];
  });
  return [...shown, ...beyond];
}

interface WalkInput {
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
interface SidePlace {
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

/** True when a test has set the book since (docs/control.md): its levels are new. */
export const isOfBookBefore = ({ lastFillFeedTimeMs }: TakenLevel, { setMs = 0 }: Pick<Book, 'setMs'>): boolean =>
  lastFillFeedTimeMs < setMs;

/** True when a price, or any of a range, is in both. */
export function overlap(bookSide: BookSide, a: PriceRange, b: PriceRange): boolean {
  if (isBeyond(bookSide, a.price, b.price)) return a.from === undefined ? false : isBeyond(bookSide, b.price, a.from);
  if (a.price.eq(b.price)) return true;
  return b.from !== undefined && isBeyond(bookSide, a.price, b.from);
}

/** The better of two beginnings; a price alone begins at itself, which says nothing. */
function betterFrom(bookSide: BookSide, a: Decimal | undefined, b: Decimal | undefined): Decimal | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isBeyond(bookSide, a, b) ? b : a;
}
