// The displayed book as one account finds it: how a crossing order takes it, level by level, and what the account has
// taken before, so that the same liquidity is not sold to it twice (trading-rules 3.2, 3.4). A walk is a plan and
// changes nothing. Own resting orders in its way are canceled, never filled (trading-rules 2.9). Taken liquidity
// shrinks with the book, stays as long as the level is shown and 30 s longer; only events change it.
import type { Book, BookLevel } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, TakenLevel } from '../account/account.ts';
import { isWithinLimit } from '../account/ownOrders.ts';
import type { RestingSide } from '../account/restingSide.ts';
import type { Side } from '../messages/command.ts';
import type { AccountEvent, TakenText } from '../messages/event.ts';

/** A resting order's queue while its price is out of sight. */
export const UNKNOWN_QUEUE = 'unknown';

/** Feed time from the first book without a level until it counts as renewed when it comes back. Longer than the age bound of the book. */
export const TAKEN_KEPT_MS = 30_000;

export interface WalkInput {
  readonly side: Side;
  readonly limitPrice: Decimal;
  readonly size: Decimal;
  /** Opposite levels as displayed, best first. */
  readonly levels: readonly BookLevel[];
  /** A level as this account sees it; asked only for those that the order reaches. */
  readonly availableAt: (level: BookLevel) => AvailableLevel;
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
    const { price, displayed, consumed, available } = availableAt(level);
    const taken = left.lt(available) ? left : available;
    if (taken.isZero()) continue;
    takes.push({ price, displayed, consumed, available, size: taken });
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

export type BookSide = 'bid' | 'ask';

/** What this account finds at one displayed level. */
export interface AvailableLevel {
  readonly price: Decimal;
  readonly displayed: Decimal;
  /** Taken by this account before. */
  readonly consumed: Decimal;
  /** Displayed less taken, never negative, cut to the lot. */
  readonly available: Decimal;
}

export interface LedgerPlace {
  readonly asset: number;
  readonly bookSide: BookSide;
  readonly feedTimeMs: number;
}

/** The displayed level as this account sees it. */
export function availableAt(
  account: Account,
  level: BookLevel,
  { asset, bookSide, feedTimeMs, sizeDecimals }: LedgerPlace & { readonly sizeDecimals: number },
): AvailableLevel {
  const { price, size: displayed } = level;
  const ledger = account.consumption.get(asset)?.[bookSide];
  const entry = ledger && ledger.size > 0 ? ledger.get(price.toString()) : undefined;
  const consumed = entry && !isForgotten(entry, feedTimeMs) ? new Decimal(entry.consumed) : ZERO;
  const left = consumed.isZero() ? displayed : displayed.minus(consumed);
  return { price, displayed, consumed, available: left.isNeg() ? ZERO : cutTo(left, sizeDecimals) };
}

/** The event that remembers what was taken from these levels, or undefined when nothing was. */
export function takenAfterFills(
  takes: readonly { readonly price: Decimal; readonly consumed: Decimal; readonly size: Decimal }[],
  { asset, bookSide, feedTimeMs }: LedgerPlace,
): AccountEvent | undefined {
  if (takes.length === 0) return undefined;
  const levels = takes.map(
    ({ price, consumed, size }) => [price.toString(), consumed.plus(size).toString(), feedTimeMs] as const,
  );
  return { type: 'consumptionSet', asset, bookSide, levels };
}

/**
 * What a newer book leaves of the taken liquidity of one side: no more than is displayed; what is not displayed, gone or out of sight, stays
 * for 30 s of feed time from the first book without it. Undefined when nothing changes. So there is never more of it than levels that
 * were shown in the last 30 s.
 */
export function takenAfterBook(
  account: Account,
  book: Book,
  { asset, bookSide, feedTimeMs }: LedgerPlace,
): AccountEvent | undefined {
  const ledger = account.consumption.get(asset)?.[bookSide];
  if (!ledger || ledger.size === 0) return undefined;
  const levels: TakenText[] = [];
  for (const [price, entry] of ledger) {
    const displayed = displayedAt(book, bookSide, new Decimal(price));
    const after = afterBook(entry, displayed, feedTimeMs);
    if (after.consumed === entry.consumed && after.goneFeedTimeMs === entry.goneFeedTimeMs) continue;
    const { consumed, lastFillFeedTimeMs, goneFeedTimeMs } = after;
    const text = [price, consumed, lastFillFeedTimeMs] as const;
    levels.push(goneFeedTimeMs === undefined ? text : [...text, goneFeedTimeMs]);
  }
  // In the order of a snapshot, so that an account that was loaded from one decides the same to the letter.
  levels.sort(([a], [b]) => (a < b ? -1 : 1));
  return levels.length > 0 ? { type: 'consumptionSet', asset, bookSide, levels } : undefined;
}

const NOTHING = '0';

/** @param displayed as `displayedAt` says it */
function afterBook(entry: TakenLevel, displayed: Decimal | undefined, feedTimeMs: number): TakenLevel {
  const { consumed, lastFillFeedTimeMs, goneFeedTimeMs } = entry;
  if (isForgotten(entry, feedTimeMs)) return { consumed: NOTHING, lastFillFeedTimeMs };
  if (displayed === undefined || displayed.isZero()) return { ...entry, goneFeedTimeMs: goneFeedTimeMs ?? feedTimeMs };
  return { consumed: displayed.lt(consumed) ? displayed.toString() : consumed, lastFillFeedTimeMs };
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

/** True when the level was missing for so long that what is there now is another one. */
function isForgotten({ goneFeedTimeMs }: TakenLevel, feedTimeMs: number): boolean {
  return goneFeedTimeMs !== undefined && feedTimeMs - goneFeedTimeMs >= TAKEN_KEPT_MS;
}
