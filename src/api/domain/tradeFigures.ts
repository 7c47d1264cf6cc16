// The figures of fills, of payments and of round trips. The sums over fills and payments of a stretch of trading, added up row by row in
// any order: money exact; shares and averages only in the answer. A closing fill is one that closes (part of) a position; its result is
// its exact PnL, before fees. docs/analytics.md defines all terms.

import { netOf } from '../../actors/core/margin/roundTrip.ts';
import type { DirectionSums, FillRow, FundingRow, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { Decimal, halfUp, roundOffDust, toWire, USD_DECIMALS, ZERO } from '../../shared/domain/decimal.ts';

/** Decimals of shares, ratios and averages. */
const RATIO_DECIMALS = 6;
const BPS = 10_000;

export class TradeFigures {
  #gross = ZERO;
  #fees = ZERO;
  #funding = ZERO;
  #volume = ZERO;
  #makerVolume = ZERO;
  #fills = 0;
  #trades = 0;
  #wins = 0;
  #losses = 0;
  #won = ZERO;
  #lost = ZERO;
  #largestWin = ZERO;
  #largestLoss = ZERO;
  #slippage = ZERO;
  #atMid = ZERO;

  addFill(fill: FillRow): void {
    const notional = new Decimal(fill.price).times(fill.size);
    this.#fills += 1;
    this.#fees = this.#fees.plus(fill.fee);
    this.#volume = this.#volume.plus(notional);
    const rested = fill.liquidity === 'maker' && fill.liquidation?.method !== 'backstop';
    if (rested) this.#makerVolume = this.#makerVolume.plus(notional);
    this.#addSlippage(fill, notional);
    if (closes(fill)) this.#addTrade(new Decimal(fill.exactPnl ?? fill.closedPnl));
  }

  addFunding({ usd }: FundingRow): void {
    this.#funding = this.#funding.plus(usd);
  }

  /** Decimal text, USD where nothing else is said; `null` where there is nothing to divide by. */
  tell() {
    const trades = new Decimal(this.#trades);
    return {
      net_pnl: usdText(this.#gross.minus(this.#fees).plus(this.#funding)),
      gross_pnl: usdText(this.#gross),
      fees: usdText(this.#fees),
      funding: usdText(this.#funding),
      volume: usdText(this.#volume),
      fills: this.#fills,
      fill_trades: this.#trades,
      fill_wins: this.#wins,
      fill_losses: this.#losses,
      fill_win_rate: ratioText(new Decimal(this.#wins), trades),
      fill_profit_factor: ratioText(this.#won, this.#lost.neg()),
      fill_average_win: ratioText(this.#won, new Decimal(this.#wins)),
      fill_average_loss: ratioText(this.#lost, new Decimal(this.#losses)),
      fill_expectancy: ratioText(this.#gross, trades),
      fill_largest_win: usdText(this.#largestWin),
      fill_largest_loss: usdText(this.#largestLoss),
      maker_share: ratioText(this.#makerVolume, this.#volume),
      slippage: usdText(this.#slippage),
      slippage_bps: ratioText(this.#slippage.times(BPS), this.#atMid),
    };
  }

  #addTrade(pnl: Decimal): void {
    this.#trades += 1;
    this.#gross = this.#gross.plus(pnl);
    if (pnl.gt(0)) {
      this.#wins += 1;
      this.#won = this.#won.plus(pnl);
      this.#largestWin = Decimal.max(this.#largestWin, pnl);
    } else if (pnl.lt(0)) {
      this.#losses += 1;
      this.#lost = this.#lost.plus(pnl);
      this.#largestLoss = Decimal.min(this.#largestLoss, pnl);
    }
  }

  /** The cost beyond the book's mid; only of orders that took from the book, and whose mid was recorded. */
  #addSlippage({ evidence, side, size, liquidity }: FillRow, notional: Decimal): void {
    if (liquidity !== 'taker' || evidence?.midPrice === undefined) return;
    const atMid = new Decimal(evidence.midPrice).times(size);
    this.#atMid = this.#atMid.plus(atMid);
    const cost = side === 'buy' ? notional.minus(atMid) : atMid.minus(notional);
    this.#slippage = this.#slippage.plus(cost);
  }
}

/** The direction of the position that a fill belongs to: the one before it, or the one that it opens. */
export function directionOf({ startPosition, side }: Pick<FillRow, 'startPosition' | 'side'>): 'long' | 'short' {
  if (Number(startPosition) === 0) return side === 'buy' ? 'long' : 'short';
  return startPosition.startsWith('-') ? 'short' : 'long';
}

/** Whether the fill closes, or closes part of, a position: a trade. */
function closes(fill: FillRow): boolean {
  return Number(fill.startPosition) !== 0 && (directionOf(fill) === 'long') === (fill.side === 'sell');
}

export const usdText = (value: Decimal): string => toWire(halfUp(roundOffDust(value), USD_DECIMALS));
export const ratioText = (value: Decimal, by: Decimal): string | null =>
  by.isZero() ? null : toWire(halfUp(value.div(by), RATIO_DECIMALS));

const MS_A_SECOND = 1000;

/** Sums over some round trips. Results are net, USD; `lostUsd` is negative. */
interface SummedTrips {
  readonly trips: number;
  readonly wins: number;
  readonly losses: number;
  readonly wonUsd: Decimal;
  readonly lostUsd: Decimal;
  readonly heldMs: number;
}

/**
 * The figures of round trips, added up row by row in any order: money exact; shares and averages only in the answer. The result of a
 * round trip is net: exact PnL less its fees, plus the funding paid while it was open. docs/analytics.md defines all terms.
 */
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
