// How large and how many: value of an order, number of open orders, elements of an action (trading-rules 1.3, 1.5).
import type { Asset } from '../../../market/domain/asset.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';

/** USD; an order that closes exactly the whole position may be smaller. */
export const ORDER_VALUE_MIN = new Decimal(10);
/** Orders, cancels or modifies in one action. */
export const ACTION_ELEMENTS_MAX = 1000;

/** From here on no further reduce-only orders; the plain limit grows with volume up to `OPEN_ORDERS_CAP`. */
const OPEN_ORDERS_BASE = 1000;
const OPEN_ORDERS_CAP = 5000;
const VOLUME_PER_OPEN_ORDER = new Decimal(5_000_000);

/** A resting order may be worth this many times what a market order may. */
const LIMIT_ORDER_FACTOR = 10;

/** Largest value of one order, USD, by the coin's max leverage. */
export function orderValueMax({ maxLeverage }: Asset, { immediate }: { immediate: boolean }): number {
  const market = marketOrderValueMax(maxLeverage);
  return immediate ? market : market * LIMIT_ORDER_FACTOR;
}

function marketOrderValueMax(maxLeverage: number): number {
  if (maxLeverage >= 25) return 30_000_000;
  if (maxLeverage >= 20) return 5_000_000;
  return maxLeverage >= 10 ? 2_000_000 : 500_000;
}

/** True when one more order may be open beside `openOrders` others. Reduce-only and trigger orders are refused first. */
export function mayRest(
  { totals }: Account,
  { openOrders, isRefusedFirst }: { openOrders: number; isRefusedFirst: boolean },
): boolean {
  if (openOrders < OPEN_ORDERS_BASE) return true;
  if (isRefusedFirst) return false;
  const earned = totals.volumeUsd.divToInt(VOLUME_PER_OPEN_ORDER).toNumber();
  return openOrders < Math.min(OPEN_ORDERS_CAP, OPEN_ORDERS_BASE + earned);
}
