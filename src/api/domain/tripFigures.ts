// The figures of round trips, added up row by row in any order: money exact; shares and averages only in the answer. The result of a
// round trip is net: exact PnL less its fees, plus the funding paid while it was open. docs/analytics.md defines all terms.
import type { RoundTripRow } from '../../actors/domain/messages/historyRows.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { ratioText, usdText } from './tradeFigures.ts';

const MS_A_SECOND = 1000;

export class TripFigures {
  #trips = 0;
  #wins = 0;
  #losses = 0;
  #net = ZERO;
  #won = ZERO;
  #lost = ZERO;
  #largestWin = ZERO;
  #largestLoss = ZERO;
  #heldMs = 0;

  readonly add = (trip: RoundTripRow): void => {
    const net = netOf(trip);
    this.#trips += 1;
    this.#net = this.#net.plus(net);
    this.#heldMs += trip.timeMs - trip.openedAtMs;
    if (net.gt(0)) {
      this.#wins += 1;
      this.#won = this.#won.plus(net);
      this.#largestWin = Decimal.max(this.#largestWin, net);
    } else if (net.lt(0)) {
      this.#losses += 1;
      this.#lost = this.#lost.plus(net);
      this.#largestLoss = Decimal.min(this.#largestLoss, net);
    }
  };

  /** Decimal text, USD where nothing else is said; `null` where there is nothing to divide by. */
  tell() {
    const trips = new Decimal(this.#trips);
    return {
      trades: this.#trips,
      wins: this.#wins,
      losses: this.#losses,
      win_rate: ratioText(new Decimal(this.#wins), trips),
      profit_factor: ratioText(this.#won, this.#lost.neg()),
      average_win: ratioText(this.#won, new Decimal(this.#wins)),
      average_loss: ratioText(this.#lost, new Decimal(this.#losses)),
      expectancy: ratioText(this.#net, trips),
      largest_win: usdText(this.#largestWin),
      largest_loss: usdText(this.#largestLoss),
      average_hold: ratioText(new Decimal(this.#heldMs).div(MS_A_SECOND), trips),
    };
  }
}

/** USD, exact. */
export const netOf = ({ pnlUsd, feesUsd, fundingUsd }: RoundTripRow): Decimal =>
  new Decimal(pnlUsd).minus(feesUsd).plus(fundingUsd);
