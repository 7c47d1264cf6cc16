// The figures of round trips, added up row by row in any order: money exact; shares and averages only in the answer. The result of a
// round trip is net: exact PnL less its fees, plus the funding paid while it was open. docs/analytics.md defines all terms.
import { netOf } from '../../actors/core/margin/roundTrip.ts';
import type { DirectionSums, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { ratioText, usdText } from './tradeFigures.ts';

const MS_A_SECOND = 1000;

/** Sums over some round trips. Results are net, USD; `lostUsd` is negative. */
export interface SummedTrips {
  readonly trips: number;
  readonly wins: number;
  readonly losses: number;
  readonly wonUsd: Decimal;
  readonly lostUsd: Decimal;
  readonly heldMs: number;
}

export class TripFigures {
  #sums: SummedTrips = { trips: 0, wins: 0, losses: 0, wonUsd: ZERO, lostUsd: ZERO, heldMs: 0 };
  #largestWin = ZERO;
  #largestLoss = ZERO;

  readonly add = (trip: RoundTripRow): void => {
    const net = netOf(trip);
    const { trips, wins, losses, wonUsd, lostUsd, heldMs } = this.#sums;
    this.#sums = {
      trips: trips + 1,
      wins: wins + (net.gt(0) ? 1 : 0),
      losses: losses + (net.lt(0) ? 1 : 0),
      wonUsd: net.gt(0) ? wonUsd.plus(net) : wonUsd,
      lostUsd: net.lt(0) ? lostUsd.plus(net) : lostUsd,
      heldMs: heldMs + trip.timeMs - trip.openedAtMs,
    };
    this.#largestWin = Decimal.max(this.#largestWin, net);
    this.#largestLoss = Decimal.min(this.#largestLoss, net);
  };

  tell() {
    return {
      ...tellTrips(this.#sums),
      largest_win: usdText(this.#largestWin),
      largest_loss: usdText(this.#largestLoss),
    };
  }
}

/** Decimal text, USD where nothing else is said; `null` where there is nothing to divide by. */
export function tellTrips({ trips, wins, losses, wonUsd, lostUsd, heldMs }: SummedTrips) {
  const count = new Decimal(trips);
  return {
    trades: trips,
    wins,
    losses,
    win_rate: ratioText(new Decimal(wins), count),
    profit_factor: ratioText(wonUsd, lostUsd.neg()),
    average_win: ratioText(wonUsd, new Decimal(wins)),
    average_loss: ratioText(lostUsd, new Decimal(losses)),
    expectancy: ratioText(wonUsd.plus(lostUsd), count),
    average_hold: ratioText(new Decimal(heldMs).div(MS_A_SECOND), count),
  };
}

/** Sums of a range and more that only a row has. */
export interface RangeOfTrips extends SummedTrips {
  readonly feesUsd: Decimal;
  readonly fundingUsd: Decimal;
}

/** Sums up to one row less those up to another; absent = 0. */
export function between(from: DirectionSums | undefined, to: DirectionSums | undefined): RangeOfTrips {
  const count = (of: 'trips' | 'wins' | 'losses' | 'heldMs'): number => (to?.[of] ?? 0) - (from?.[of] ?? 0);
  const usd = (of: 'wonUsd' | 'lostUsd' | 'feesUsd' | 'fundingUsd'): Decimal => new Decimal(to?.[of] ?? 0).minus(from?.[of] ?? 0);
  return {
    ...{ trips: count('trips'), wins: count('wins'), losses: count('losses'), heldMs: count('heldMs') },
    ...{ wonUsd: usd('wonUsd'), lostUsd: usd('lostUsd'), feesUsd: usd('feesUsd'), fundingUsd: usd('fundingUsd') },
  };
}

/** Of two ranges together. */
export const both = (a: RangeOfTrips, b: RangeOfTrips): RangeOfTrips => ({
  ...{ trips: a.trips + b.trips, wins: a.wins + b.wins, losses: a.losses + b.losses, heldMs: a.heldMs + b.heldMs },
  ...{ wonUsd: a.wonUsd.plus(b.wonUsd), lostUsd: a.lostUsd.plus(b.lostUsd) },
  ...{ feesUsd: a.feesUsd.plus(b.feesUsd), fundingUsd: a.fundingUsd.plus(b.fundingUsd) },
});
