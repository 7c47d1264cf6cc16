// What a fill costs. The rates are the service's own and the same for every account (trading-rules 7.1).
import { cut6, Decimal } from '../../../shared/domain/decimal.ts';

/** 0.015 % for the order that rested. */
export const MAKER_RATE = new Decimal('0.00015');
/** 0.045 % for the order that crossed. */
export const TAKER_RATE = new Decimal('0.00045');

/** Fee of one fill, USD, cut after 6 decimals: at most a micro-USD below the exact one, never negative. */
export function feeOf(notional: Decimal, liquidity: 'maker' | 'taker'): Decimal {
  return cut6(notional.times(liquidity === 'taker' ? TAKER_RATE : MAKER_RATE));
}
