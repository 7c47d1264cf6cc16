// The sums over fills and payments of a stretch of trading, added up row by row in any order: money exact; shares and averages only in
// the answer. A closing fill is one that closes (part of) a position; its result is its exact PnL, before fees.
// docs/analytics.md defines all terms.
import type { FillRow, FundingRow } from '../../actors/core/messages/historyRows.ts';
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
export function closes(fill: FillRow): boolean {
  return Number(fill.startPosition) !== 0 && (directionOf(fill) === 'long') === (fill.side === 'sell');
}

export const usdText = (value: Decimal): string => toWire(halfUp(roundOffDust(value), USD_DECIMALS));
export const ratioText = (value: Decimal, by: Decimal): string | null =>
  by.isZero() ? null : toWire(halfUp(value.div(by), RATIO_DECIMALS));
