// The hours for which an account still owes or is owed funding, with their position sizes (trading-rules 6.4).
// Nothing happens at an hour boundary. A change of a position records the hours since the change before it; the hours
// since the last change follow from the open position. So an idle account is never woken and owes the same.
import { hourOf } from '../../../market/domain/fundingRecords.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { HOUR_MS } from '../../../shared/domain/units.ts';

/** Consecutive hour boundaries at which the position had one size. */
export interface OwedHours {
  /** First and last boundary, ms; both included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly signedSize: Decimal;
  /** True while the position that they are of has been neither closed nor flipped. */
  readonly isOpen: boolean;
}

/** An account's funding in one coin. */
export interface CoinFunding {
  readonly coin: string;
  /** Boundary up to which the open position's hours are in `owed` or paid; undefined while there is no position. */
  readonly accruedToMs: number | undefined;
  /** When the open position was opened or flipped, ms; undefined while there is none. */
  readonly openedAtMs: number | undefined;
  /** Unpaid hours, oldest first. */
  readonly owed: readonly OwedHours[];
  /** Paid by the account since ever, USD (negative = received); survives the position. */
  readonly paidUsd: Decimal;
}

/** A change of a position's size; absent sizes are flat. */
export interface SizeChange {
  readonly coin: string;
  readonly before: Decimal | undefined;
  readonly after: Decimal | undefined;
  readonly timeMs: number;
}

/**
 * The coin's funding after a change of size. A change at exactly an hour counts for the next hour: the boundary sees the
 * size before. Undefined when there is nothing to remember.
 */
export function accrue(funding: CoinFunding | undefined, change: SizeChange): CoinFunding | undefined {
  const { coin, before, after, timeMs } = change;
  const hourMs = hourOf(timeMs);
  const isSamePosition = before !== undefined && after !== undefined && before.isPos() === after.isPos();
  const accruedToMs = funding?.accruedToMs ?? hourMs;
  if (isSamePosition && funding?.accruedToMs === hourMs) return funding;

  const passed = before !== undefined && accruedToMs < hourMs;
  const known = funding?.owed ?? [];
  const owed = passed ? [...known, { fromMs: accruedToMs + HOUR_MS, toMs: hourMs, signedSize: before, isOpen: true }] : known;
  return keepIfNeeded({
    coin,
    accruedToMs: after === undefined ? undefined : hourMs,
    openedAtMs: isSamePosition ? funding?.openedAtMs : after && timeMs,
    owed: isSamePosition ? owed : owed.map((hours) => ({ ...hours, isOpen: false })),
    paidUsd: funding?.paidUsd ?? ZERO,
  });
}

/** Funding after the hours up to `throughMs` were paid (and those up to `droppedToMs` dropped). */
export function withPaidHours(
  funding: CoinFunding,
  { throughMs, droppedToMs, usd }: { throughMs: number; droppedToMs?: number | undefined; usd: Decimal },
): CoinFunding | undefined {
  const doneToMs = Math.max(throughMs, droppedToMs ?? 0);
  const owed = funding.owed.flatMap((hours) =>
    hours.toMs <= doneToMs ? [] : [{ ...hours, fromMs: Math.max(hours.fromMs, doneToMs + HOUR_MS) }],
  );
  const accruedToMs = funding.accruedToMs === undefined ? undefined : Math.max(funding.accruedToMs, doneToMs);
  return keepIfNeeded({ ...funding, accruedToMs, owed, paidUsd: funding.paidUsd.minus(usd) });
}

/** The part of an account that funding is about. */
interface FundedAccount {
  readonly positions: ReadonlyMap<number, { readonly signedSize: Decimal }>;
  readonly funding: ReadonlyMap<number, CoinFunding>;
}

/** All unpaid hours up to `throughMs`, oldest first: the recorded ones, and those of the open position. */
export function owedHours(account: FundedAccount, asset: number, throughMs: number): OwedHours[] {
  const funding = account.funding.get(asset);
  if (!funding) return [];
  const hours = funding.owed.flatMap((owed) =>
    owed.fromMs > throughMs ? [] : [owed.toMs <= throughMs ? owed : { ...owed, toMs: throughMs }],
  );
  const position = account.positions.get(asset);
  const { accruedToMs } = funding;
  if (position && accruedToMs !== undefined && accruedToMs < throughMs) {
    hours.push({ fromMs: accruedToMs + HOUR_MS, toMs: throughMs, signedSize: position.signedSize, isOpen: true });
  }
  return hours;
}

/** True when the account waits for a funding payment although it may hold nothing. */
export function owesHours(account: Pick<FundedAccount, 'funding'>): boolean {
  for (const { owed } of account.funding.values()) if (owed.length > 0) return true;
  return false;
}

function keepIfNeeded(funding: CoinFunding): CoinFunding | undefined {
  const { accruedToMs, owed, paidUsd } = funding;
  return accruedToMs === undefined && owed.length === 0 && paidUsd.isZero() ? undefined : funding;
}
