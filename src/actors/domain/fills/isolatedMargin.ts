// The pocket of an isolated position: how much a fill moves between it and cross cash, always the same rounded amount on
// both sides (trading-rules 4.5). PnL and fee stay in the bucket; what a voluntary close loses beyond it cash pays.
import { cut6, type Decimal, settle, ZERO } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import { entryPriceOf } from '../margin/position.ts';
import { feeOf } from './fees.ts';
import type { Execution, FillNumbers } from './fillNumbers.ts';

type Parts = Pick<FillNumbers, 'fee' | 'closedSize' | 'openedSize' | 'leverage'>;

/**
 * USD that moves into the isolated bucket. Opening moves the initial margin in; a partial close releases its share of
 * the bucket's equity at mark before the fill; a full close releases what is left, and a flip is a full close and an
 * opening. What a voluntary close loses beyond the bucket is charged to cash.
 */
export function marginMoved(position: Position | undefined, execution: Execution, parts: Parts): Decimal {
  const { fee, closedSize, openedSize } = parts;
  if (!position || closedSize.isZero()) return openingMargin(execution.price, parts);
  const held = position.signedSize.abs();
  if (closedSize.lt(held)) return partialRelease(position, execution, parts).neg();

  const openingFee = openedSize.isZero() ? ZERO : feeOf(execution.price.times(openedSize), execution.liquidity);
  const proceeds = position.signedSize.times(execution.price);
  const left = position.rawUsd.plus(proceeds).minus(fee.minus(openingFee));
  return openedSize.isZero() ? left.neg() : openingMargin(execution.price, parts).minus(left);
}

function openingMargin(price: Decimal, { openedSize, leverage }: Parts): Decimal {
  return cut6(price.times(openedSize).div(leverage));
}

function partialRelease(position: Position, { price, markPrice }: Execution, { fee, closedSize }: Parts): Decimal {
  const { signedSize, rawUsd } = position;
  const mark = markPrice ?? entryPriceOf(position);
  const equity = rawUsd.plus(signedSize.times(mark));
  const share = cut6(settle(equity.times(closedSize).div(signedSize.abs())));
  const kept = equity.minus(share);
  const gain = price
    .minus(mark)
    .times(signedSize.isPos() ? closedSize : closedSize.neg())
    .minus(fee);
  const beyond = kept.isNeg() ? gain : kept.plus(gain);
  return gain.isNeg() && beyond.isNeg() ? cut6(share.plus(beyond)) : share;
}
