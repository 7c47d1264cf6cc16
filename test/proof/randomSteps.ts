// Random lives of an account for property tests: commands near the market, books that move, trades, marks and waiting.
// A life is plain data, so fast-check can shrink it and the failing one can be read.
import fc from 'fast-check';
import type { OrderRequest, Side, TimeInForce } from '../../src/actors/domain/command.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import type { Levels } from '../support/fixtureMarket.ts';
import {
  book,
  cancel,
  leverage,
  mark,
  modify,
  type OrderFields,
  place,
  type Scenario,
  type Step,
  trade,
  wait,
} from '../support/scenario.ts';

/** Coins of the fixture market that random lives trade: SOL (cross), ISO (isolated only), TIER (two margin tiers). */
const COINS = [
  { coin: 'SOL', asset: 2, mid: 100 },
  { coin: 'ISO', asset: 3, mid: 50 },
  { coin: 'TIER', asset: 4, mid: 100 },
] as const;

const LOT = 0.1;

/** Prices are steps of 0.1 around the coin's mid of old; sizes are tenths of a coin. */
export type RandomStep =
  | { readonly kind: 'place'; readonly orders: readonly RandomOrder[] }
  | { readonly kind: 'cancel'; readonly open: number }
  | { readonly kind: 'modify'; readonly open: number; readonly price: number; readonly size: number }
  | { readonly kind: 'leverage'; readonly coin: number; readonly leverage: number; readonly isolated: boolean }
  | {
      readonly kind: 'book';
      readonly coin: number;
      readonly mid: number;
      readonly bids: readonly number[];
      readonly asks: readonly number[];
    }
  | { readonly kind: 'trade'; readonly coin: number; readonly side: Side; readonly price: number; readonly size: number }
  | { readonly kind: 'mark'; readonly coin: number; readonly price: number }
  | { readonly kind: 'wait'; readonly ms: number };

interface RandomOrder {
  readonly coin: number;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  readonly tif: TimeInForce;
  readonly reduceOnly: boolean;
  readonly cloid: number | null;
}

/** Mostly the first, so that things happen to one position. */
const coin = fc.constantFrom(0, 0, 0, 0, 1, 1, 2);
const side = fc.constantFrom<Side>('buy', 'sell');
const near = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -15, max: 15 }));
const size = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 }));
const displayed = fc.array(fc.oneof(fc.nat(40), fc.nat(3000)), { minLength: 1, maxLength: 6 });

const order: fc.Arbitrary<RandomOrder> = fc.record({
  coin,
  side,
  price: near,
  size,
  tif: fc.constantFrom<TimeInForce>('gtc', 'gtc', 'ioc', 'ioc', 'alo', 'frontendMarket'),
  reduceOnly: fc.constantFrom(false, false, false, true),
  cloid: fc.constantFrom(null, null, null, null, 0, 1),
});

export const randomStep: fc.Arbitrary<RandomStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('place' as const), orders: fc.array(order, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), open: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('modify' as const), open: fc.nat(5), price: near, size }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('leverage' as const),
      coin,
      leverage: fc.integer({ min: 1, max: 21 }),
      isolated: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('book' as const), coin, mid: near, bids: displayed, asks: displayed }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('trade' as const), coin, side, price: near, size }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mark' as const), coin, price: fc.integer({ min: -400, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 31_000) }) },
);

/** A life of an account. */
export const randomLife = fc.array(randomStep, { minLength: 12, maxLength: 28, size: 'max' });

/** The asset that a market step is about. */
export function assetOf({ coin: index }: Extract<RandomStep, { coin: number }>): number {
  return ofCoin(index).asset;
}

/** The step for this scenario as it is now: `open` counts its open orders. */
export function toStep(step: RandomStep, { account }: Scenario): Step {
  switch (step.kind) {
    case 'place':
      return place(...step.orders.map(toFields));
    case 'cancel': {
      const open = [...account.orders.values()][step.open];
      return open ? cancel({ asset: open.asset, target: { oid: open.oid } }) : cancel({ target: { oid: 1 } });
    }
    case 'modify': {
      const open = [...account.orders.values()][step.open];
      if (!open) return modify({ target: { oid: 1 }, order: {} });
      const { asset, oid } = open;
      const coinOf = COINS.findIndex((each) => each.asset === asset);
      return modify({
        target: { oid },
        order: {
          asset,
          side: open.side,
          limitPrice: priceOf(coinOf, step.price),
          size: sizeOf(step.size),
          reduceOnly: open.reduceOnly,
        },
      });
    }
    case 'leverage':
      return leverage(ofCoin(step.coin).asset, step.leverage, step.isolated ? 'isolated' : 'cross');
    case 'book': {
      const coinName = ofCoin(step.coin).coin;
      const levels = (sizes: readonly number[], direction: 1 | -1): Levels =>
        sizes.flatMap((each, index) =>
          each === 0 ? [] : [[priceOf(step.coin, step.mid + direction * (index + 1)), sizeOf(each)] as const],
        );
      const move = book(coinName, levels(step.bids, -1), levels(step.asks, 1));
      return (market) => {
        const markPrice = market.prices(market.require(coinName).id)?.markPrice;
        market.setPrices(coinName, { mark: String(markPrice) });
        return typeof move === 'function' ? move(market) : undefined;
      };
    }
    case 'trade':
      return trade(ofCoin(step.coin).coin, [step.side, priceOf(step.coin, step.price), sizeOf(step.size)]);
    case 'mark':
      return mark(ofCoin(step.coin).coin, priceOf(step.coin, step.price));
    case 'wait':
      return wait(step.ms);
  }
}

function toFields({ coin: index, side: of, price, size: tenths, tif, reduceOnly, cloid }: RandomOrder): OrderFields {
  const fields = {
    asset: ofCoin(index).asset,
    side: of,
    limitPrice: priceOf(index, price),
    size: sizeOf(tenths),
    tif,
    reduceOnly,
  };
  return cloid === null ? fields : { ...fields, cloid: cloidOf(cloid) };
}

function cloidOf(n: number): NonNullable<OrderRequest['cloid']> {
  return `0x${String(n).padStart(32, '0')}`;
}

function priceOf(index: number, steps: number): string {
  return new Decimal(ofCoin(index).mid).plus(new Decimal(steps).times(LOT)).toString();
}

function sizeOf(tenths: number): string {
  return new Decimal(tenths).times(LOT).toString();
}

function ofCoin(index: number): (typeof COINS)[number] {
  return COINS[index] ?? COINS[0];
}
