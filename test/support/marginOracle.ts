// The second bookkeeping's margin: account value and free margin, from the oracle's ledger, the marks and the open
// orders, in exact rationals and straight from the formulas of trading-rules 4. For tests only.
import { Fraction, NOTHING } from './fraction.ts';
import type { LedgerOracle } from './ledgerOracle.ts';

/** The facts of a coin that the oracle needs. */
export interface OracleCoin {
  readonly markPrice: string;
  /** Of its lots. */
  readonly sizeDecimals: number;
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
  /** Ascending; the first starts at 0. */
  readonly tiers: readonly { readonly lowerBound: string; readonly maxLeverage: number }[];
}

/** An order that rests. */
export interface OracleOrder {
  readonly asset: number;
  readonly side: 'buy' | 'sell';
  readonly limitPrice: string;
  readonly size: string;
  readonly reduceOnly: boolean;
}

/** USD. Of the cross account: its value, maintenance and what new orders may use; of all margin pools: worth, cash, notional, margin. */
export interface OracleFigures {
  readonly accountValue: Fraction;
  readonly crossValue: Fraction;
  readonly totalRawUsd: Fraction;
  readonly totalNotional: Fraction;
  readonly totalMarginUsed: Fraction;
  readonly crossMaintenance: Fraction;
  readonly free: Fraction;
  readonly withdrawable: Fraction;
}

export function marginFigures(
  ledger: LedgerOracle,
  coinOf: (asset: number) => OracleCoin,
  orders: readonly OracleOrder[],
  /** Funding of hours that are not settled, USD credited. */
  pending: Fraction = NOTHING,
): OracleFigures {
  const { cash, held: positions } = ledger.pools;
  let crossValue = cash;
  let crossUsed = NOTHING;
  let crossMaintenance = NOTHING;
  let mustStay = NOTHING;
  let buckets = NOTHING;
  let isolatedValue = NOTHING;
  let totalNotional = NOTHING;
  for (const [asset, { size, bucket }] of positions) {
    const coin = coinOf(asset);
    const value = size.times(Fraction.of(coin.markPrice));
    const notional = value.magnitude();
    totalNotional = totalNotional.plus(notional);
    if (coin.marginMode === 'isolated') {
      buckets = buckets.plus(bucket);
      isolatedValue = isolatedValue.plus(bucket).plus(value);
      continue;
    }
    const initial = notional.over(Fraction.of(coin.leverage));
    crossValue = crossValue.plus(value);
    crossUsed = crossUsed.plus(initial.cut(6));
    crossMaintenance = crossMaintenance.plus(maintenance(notional, coin.tiers));
    mustStay = mustStay.plus(larger(initial, notional.over(Fraction.of(10))));
  }
  const held = holds(ledger, coinOf, orders);
  return {
    accountValue: crossValue.plus(isolatedValue),
    crossValue,
    totalRawUsd: cash.plus(buckets),
    totalNotional,
    totalMarginUsed: crossUsed.plus(isolatedValue),
    crossMaintenance,
    free: crossValue.minus(crossUsed).minus(held),
    withdrawable: larger(NOTHING, crossValue.minus(mustStay).minus(held).plus(smaller(NOTHING, pending))).cut(6),
  };
}

/** Each slice of the notional pays the rate of its own tier: the tiers of 4.3 without their deductions. Cut after 6 decimals. */
export function maintenance(notional: Fraction, tiers: OracleCoin['tiers']): Fraction {
  let sum = NOTHING;
  tiers.forEach(({ lowerBound, maxLeverage }, index) => {
    const next = tiers[index + 1];
    const top = next ? smaller(notional, Fraction.of(next.lowerBound)) : notional;
    const slice = larger(NOTHING, top.minus(Fraction.of(lowerBound)));
    sum = sum.plus(slice.over(Fraction.of(2 * maxLeverage)));
  });
  return sum.cut(6);
}

/** 4.6: per coin the larger side, by the leverage of now, without what would only close. */
function holds(ledger: LedgerOracle, coinOf: (asset: number) => OracleCoin, orders: readonly OracleOrder[]): Fraction {
  let total = NOTHING;
  for (const asset of new Set(orders.map((order) => order.asset))) {
    const position = ledger.pools.held.get(asset)?.size ?? NOTHING;
    const side = (direction: 1 | -1) =>
      opening(
        orders.filter((order) => order.asset === asset && !order.reduceOnly && (order.side === 'buy') === direction > 0),
        { position, direction },
      );
    total = total.plus(larger(side(1), side(-1)).over(Fraction.of(coinOf(asset).leverage)));
  }
  return total;
}

function opening(
  orders: readonly OracleOrder[],
  { position, direction }: { readonly position: Fraction; readonly direction: 1 | -1 },
): Fraction {
  let closing = position.sign() * direction < 0 ? position.magnitude() : NOTHING;
  let notional = NOTHING;
  const bestFirst = orders
    .map(({ limitPrice, size }) => ({ price: Fraction.of(limitPrice), size: Fraction.of(size) }))
    .sort((a, b) => b.price.compare(a.price) * direction);
  for (const { price, size } of bestFirst) {
    const exempt = smaller(closing, size);
    closing = closing.minus(exempt);
    notional = notional.plus(price.times(size.minus(exempt)));
  }
  return notional;
}

const larger = (a: Fraction, b: Fraction): Fraction => (a.compare(b) > 0 ? a : b);
const smaller = (a: Fraction, b: Fraction): Fraction => (a.compare(b) < 0 ? a : b);
