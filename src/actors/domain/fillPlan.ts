// The fills that an order would get, one after the other, before anything has happened: each fill's numbers start from
// the position that the one before it left. Margin is judged on the result, then the same numbers become events.
import type { Asset } from '../../market/domain/asset.ts';
import type { Decimal } from '../../shared/domain/decimal.ts';
import { type Execution, type FillNumbers, fillNumbers } from './fillNumbers.ts';
import { applyFill, type Holding } from './position.ts';

/** One level taken, or one match of a resting order. */
export interface PlannedExecution {
  readonly price: Decimal;
  readonly size: Decimal;
}

export interface FillPlan<Planned extends PlannedExecution> {
  readonly fills: readonly { readonly execution: Planned; readonly numbers: FillNumbers }[];
  /** Cash and position after all of them. */
  readonly after: Holding;
  /** True when a fill opens or increases the position, if only with a part. */
  readonly opens: boolean;
}

/** Computes the fills of one order. Nothing is changed. */
export function planFills<Planned extends PlannedExecution>(
  before: Holding,
  executions: readonly Planned[],
  terms: Omit<Execution, 'price' | 'size'> & { readonly asset: Pick<Asset, 'id' | 'coin'> },
): FillPlan<Planned> {
  const { asset, ...common } = terms;
  let after = before;
  let opens = false;
  const fills = executions.map((execution) => {
    const { price, size } = execution;
    const numbers = fillNumbers(after.position, { ...common, price, size });
    after = applyFill(after, { ...numbers, asset: asset.id, coin: asset.coin, side: common.side, price, size });
    opens ||= numbers.openedSize.gt(0);
    return { execution, numbers };
  });
  return { fills, after, opens };
}
