// The backstop of a liquidation: the house takes every position of a margin pool at its bankruptcy price, without a
// fee. The pool is left with exactly nothing; what it owed beyond that is the house's loss (trading-rules 5.3, 5.4).
import { cut6, type Decimal, roundOffResidue, ZERO } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import { nearestLegalPrice } from '../checks/readOrder.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import type { MarginPool, MarginPoolHealth } from '../margin/marginPool.ts';
import { wholeClosed } from '../margin/position.ts';
import { valuationOf } from '../margin/positionMargin.ts';
import { bankruptcyPrice } from './bankruptcyPrice.ts';

/** Records the take-over of all positions of a pool, which together pay exactly what its cash lacks, by asset id. */
export function takeOver(draft: Draft, { cash, positions }: MarginPool, { health, context }: Backstop): void {
  let left = cash;
  const sorted = [...positions].sort((a, b) => a.asset - b.asset);
  for (const [index, position] of sorted.entries()) {
    const price = bankruptcyPrice(position, health, context.market);
    const isLast = index === sorted.length - 1;
    const usd = isLast ? left.neg() : cut6(roundOffResidue(price.times(position.signedSize)));
    left = left.plus(usd);
    record(draft, position, { price, usd, context });
  }
}

export interface Backstop {
  readonly health: MarginPoolHealth;
  readonly context: Context;
}

function record(
  draft: Draft,
  position: Position,
  { price, usd, context }: { readonly price: Decimal; readonly usd: Decimal; readonly context: Context },
): void {
  const { asset, coin, signedSize, entryNotional, marginMode } = position;
  const isLong = signedSize.isPos();
  const sizeDecimals = context.market.asset(asset)?.sizeDecimals ?? 0;
  const shown = nearestLegalPrice(price, sizeDecimals);
  const closed = { price: shown, size: signedSize.abs(), proceeds: isLong ? usd : usd.neg(), cost: entryNotional };
  draft.record({
    type: 'positionTakenOver',
    oid: context.ids.next(),
    tid: context.ids.next(),
    asset,
    coin,
    side: isLong ? 'sell' : 'buy',
    price: shown.toString(),
    size: signedSize.abs().toString(),
    usd: (usd.isZero() ? ZERO : usd).toString(),
    ...wholeClosed(position, closed, { sizeDecimals, place: draft.place }),
    startPosition: signedSize.toString(),
    direction: `Liquidated ${marginMode === 'cross' ? 'Cross' : 'Isolated'} ${isLong ? 'Long' : 'Short'}`,
    marginMode,
    markPrice: valuationOf(position, context.market).markPrice.toString(),
  });
}
