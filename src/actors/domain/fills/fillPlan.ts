// The fills that an order would get, one after the other, before anything has happened: each fill's numbers start from
// the position that the one before it left. Margin is judged on the result, then the same numbers become events (trading-rules 3.3).
import type { Asset } from '../../../market/domain/asset.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import { applyFill, type Holding } from '../margin/position.ts';
import { type Execution, type FillNumbers, fillNumbers } from './fillNumbers.ts';

/** One level taken, or one match of a resting order. */
export interface PlannedExecution {
  readonly price: Decimal;
  readonly size: Decimal;
}

/** What a fill comes to: all that the fold needs of it. Planned when the fill is decided, read from its event in a replay. */
export interface FillResult {
  readonly execution: PlannedExecution;
  readonly numbers: Pick<FillNumbers, 'notional' | 'fee' | 'closedPnl'>;
  /** Cash and position that it meets, and that it leaves. */
  readonly before: Holding;
  readonly after: Holding;
}

export interface PlannedFill<Planned extends PlannedExecution> extends FillResult {
  readonly execution: Planned;
  readonly numbers: FillNumbers;
}

export interface FillPlan<Planned extends PlannedExecution> {
  readonly fills: readonly PlannedFill<Planned>[];
  /** Cash and position after all of them. */
  readonly after: Holding;
  /** True when a fill opens or increases the position, if only with a part. */
  readonly opens: boolean;
}

/** What all fills of the order have in common. */
export interface FillTerms extends Pick<Execution, 'side' | 'liquidity' | 'setting' | 'markPrice'> {
  readonly asset: Pick<Asset, 'id' | 'coin'>;
}

/** Computes the fills of one order. Nothing is changed. */
export function planFills<Planned extends PlannedExecution>(
  before: Holding,
  executions: readonly Planned[],
  { asset, side, liquidity, setting, markPrice }: FillTerms,
): FillPlan<Planned> {
  const fills: PlannedFill<Planned>[] = [];
  let holding = before;
  let opens = false;
  for (const execution of executions) {
    const { price, size } = execution;
    const numbers = fillNumbers(holding.position, { side, price, size, liquidity, setting, markPrice });
    const { notional, fee, marginMode, leverage, marginMovedUsd, closedCost } = numbers;
    const { id, coin } = asset;
    const fill = { asset: id, coin, side, price, size, notional, fee, marginMode, leverage, marginMovedUsd, closedCost };
    const after = applyFill(holding, fill);
    opens ||= !numbers.openedSize.isZero();
    fills.push({ execution, numbers, before: holding, after });
    holding = after;
  }
  return { fills, after: holding, opens };
}
