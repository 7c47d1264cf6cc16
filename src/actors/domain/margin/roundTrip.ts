// A round trip: all that happens to a position from flat to flat. Its numbers so far are part of the position; the fill that ends it
// carries them as a history row. A fill that flips ends one and begins the next (trading-rules 7.3).
import { cut6, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import type { OpenTrip } from '../account/openTrip.ts';
import type { EndedTrip } from '../messages/historyRows.ts';

/** What a fill does to the round trip that goes on after it. */
interface TripFill {
  readonly price: Decimal;
  readonly size: Decimal;
  readonly fee: Decimal;
  readonly exactPnl: Decimal;
  /** Coins of the fill that close. */
  readonly closedSize: Decimal;
}

/** That of a position which was found so, of an import: what was before is not known here. @param size coins, unsigned */
export const foundTrip = (size: Decimal, openedUsd: Decimal, openedAtMs: number): OpenTrip => ({
  ...{ openedAtMs, openedSeq: 0, fills: 0, sizeMax: size, openedSize: size, openedUsd, pnlUsd: ZERO, feesUsd: ZERO },
});

/** The round trip after a fill that leaves `held` coins, unsigned. @param before undefined where the fill opens or flips */
export function tripAfter(before: OpenTrip | undefined, fill: TripFill, held: Decimal): OpenTrip {
  const { price, size, fee, exactPnl, closedSize } = fill;
  if (before === undefined) {
    const openedUsd = price.times(held);
    const feesUsd = fee.minus(closingFee(fee, closedSize, size));
    return { openedAtMs: 0, openedSeq: 0, fills: 1, sizeMax: held, openedSize: held, openedUsd, pnlUsd: ZERO, feesUsd };
  }
  const after = { ...before, fills: before.fills + 1, feesUsd: before.feesUsd.plus(fee) };
  if (!closedSize.isZero()) return { ...after, pnlUsd: before.pnlUsd.plus(exactPnl) };
  return {
    ...after,
    sizeMax: Decimal.max(before.sizeMax, held),
    openedSize: before.openedSize.plus(size),
    openedUsd: before.openedUsd.plus(price.times(size)),
  };
}

/** The round trip that ends with what closes the whole position. @param fee of the closing part, USD */
export function endedTrip(
  { trip, signedSize, funding }: Position,
  { exactPnl, fee }: Pick<TripFill, 'exactPnl' | 'fee'>,
): EndedTrip {
  return {
    openedAtMs: trip.openedAtMs,
    openedSeq: trip.openedSeq,
    fills: trip.fills + 1,
    direction: signedSize.isPos() ? 'long' : 'short',
    sizeMax: trip.sizeMax.toString(),
    openedSize: trip.openedSize.toString(),
    openedUsd: trip.openedUsd.toString(),
    pnlUsd: trip.pnlUsd.plus(exactPnl).toString(),
    feesUsd: trip.feesUsd.plus(fee).toString(),
    fundingUsd: funding.sinceOpen.isZero() ? '0' : funding.sinceOpen.neg().toString(),
  };
}

/** The part of a fill's fee that closing costs, USD, cut after 6 decimals; a flip's other part is the next round trip's. */
export function closingFee(fee: Decimal, closedSize: Decimal, size: Decimal): Decimal {
  return closedSize.eq(size) ? fee : cut6(fee.times(closedSize).div(size));
}
