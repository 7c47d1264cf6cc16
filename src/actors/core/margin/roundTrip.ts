// The end of a round trip, which is all that happens to a position from flat to flat. Its numbers so far are part of the position
// (`position.ts`); the fill that ends it carries them as a history row. A fill that flips ends one and begins the next (trading-rules 7.3).
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { DirectionSums, EndedTrip, RoundTripRow, TripSums } from '../messages/historyRows.ts';

/** The entry that an event will be part of, and the sums of the round trips that ended before the event. */
export interface EntryPlace {
  readonly seq: number;
  readonly timeMs: number;
  readonly tripSums: TripSums | undefined;
}

/** The round trip that ends with what closes the whole position. @param fee of the closing part, USD */
export function endedTrip(
  { trip, signedSize, funding }: Position,
  { exactPnl, fee }: { readonly exactPnl: Decimal; readonly fee: Decimal },
  { seq, timeMs, tripSums }: EntryPlace,
): EndedTrip {
  // One that a fill before it in the entry has begun is not dated yet.
  const [openedAtMs, openedSeq] = trip.openedAtMs === 0 ? [timeMs, seq] : [trip.openedAtMs, trip.openedSeq];
  const ended = {
    openedAtMs,
    openedSeq,
    fills: trip.fills + 1,
    direction: signedSize.isPos() ? ('long' as const) : ('short' as const),
    sizeMax: trip.sizeMax.toString(),
    openedSize: trip.openedSize.toString(),
    openedUsd: trip.openedUsd.toString(),
    pnlUsd: trip.pnlUsd.plus(exactPnl).toString(),
    feesUsd: trip.feesUsd.plus(fee).toString(),
    fundingUsd: funding.sinceOpen.isZero() ? '0' : funding.sinceOpen.neg().toString(),
  };
  return { ...ended, sums: { ...tripSums, [ended.direction]: withTrip(tripSums?.[ended.direction], ended, timeMs) } };
}

/** The sums of one round trip alone. */
export const sumsOf = (trip: RoundTripRow): DirectionSums => withTrip(NO_TRIPS, trip, trip.timeMs);

const NO_TRIPS: DirectionSums = {
  ...{ trips: 0, wins: 0, losses: 0, wonUsd: '0', lostUsd: '0', feesUsd: '0', fundingUsd: '0', heldMs: 0 },
};

function withTrip(before: DirectionSums = NO_TRIPS, trip: Omit<EndedTrip, 'sums'>, timeMs: number): DirectionSums {
  const net = netOf(trip);
  const plus = (sum: string, usd: Decimal | string): string => new Decimal(sum).plus(usd).toString();
  return {
    trips: before.trips + 1,
    wins: before.wins + (net.gt(0) ? 1 : 0),
    losses: before.losses + (net.lt(0) ? 1 : 0),
    wonUsd: plus(before.wonUsd, Decimal.max(0, net)),
    lostUsd: plus(before.lostUsd, Decimal.min(0, net)),
    feesUsd: plus(before.feesUsd, trip.feesUsd),
    fundingUsd: plus(before.fundingUsd, trip.fundingUsd),
    heldMs: before.heldMs + timeMs - trip.openedAtMs,
  };
}

/** The result of a round trip after fees and funding, USD, exact. */
export const netOf = ({ pnlUsd, feesUsd, fundingUsd }: Omit<EndedTrip, 'sums'>): Decimal =>
  new Decimal(pnlUsd).minus(feesUsd).plus(fundingUsd);

/** The sums after these events, oldest first. */
export function tripSumsAfter(before: TripSums | undefined, events: readonly AccountEvent[]): TripSums | undefined {
  for (const event of events.toReversed()) {
    if (event.type === 'accountReset') return undefined;
    if ('trip' in event && event.trip !== undefined) return event.trip.sums;
  }
  return before;
}
