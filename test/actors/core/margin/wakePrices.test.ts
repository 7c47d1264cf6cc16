import { expect } from 'chai';
import fc from 'fast-check';
import type { Account, Position } from '../../../../src/actors/core/account/account.ts';
import { foundTrip } from '../../../../src/actors/core/margin/position.ts';
import { healthOf, isLiquidatable, marginPoolOf } from '../../../../src/actors/core/margin/positionMargin.ts';
import { isInDanger, wakePrices } from '../../../../src/actors/core/margin/wakePrices.ts';
import { Decimal, ZERO } from '../../../../src/shared/domain/decimal.ts';
import { FIXTURE_COINS, FixtureMarket } from '../../../support/fixtureMarket.ts';

/** BTC, ETH, SOL cross or isolated, ISO isolated, TIER with two tiers. */
const ASSETS = [0, 1, 2, 3, 4] as const;
const MARKS = FIXTURE_COINS.map(({ mark }) => Number(mark));

interface Held {
  readonly asset: number;
  /** USD at the first mark, long > 0. */
  readonly notional: number;
  /** Of an isolated position, as a share of its notional. */
  readonly bucket: number | null;
}

const held: fc.Arbitrary<Held> = fc.record({
  asset: fc.constantFrom(...ASSETS),
  notional: fc
    .oneof(fc.integer({ min: 10, max: 200_000 }), fc.integer({ min: 2_500_000, max: 4_000_000 }))
    .chain((usd) => fc.constantFrom(usd, -usd)),
  bucket: fc.option(fc.double({ min: 0.005, max: 0.4, noNaN: true })),
});

/** An account whose cross positions have this equity, as a share of their notional. */
function accountOf(positions: readonly Held[], equity: number): Pick<Account, 'cash' | 'positions'> {
  const byAsset = new Map<number, Position>();
  let cash = ZERO;
  for (const { asset, notional, bucket } of positions) {
    if (byAsset.has(asset)) continue;
    const mark = MARKS[asset] ?? 1;
    const signedSize = new Decimal((notional / mark).toFixed(4));
    if (signedSize.isZero()) continue;
    const value = signedSize.times(mark);
    const rawUsd = bucket === null ? ZERO : value.abs().times(bucket.toFixed(4)).minus(value);
    if (bucket === null) cash = cash.minus(value).plus(value.abs().times(equity.toFixed(5)));
    const none = { allTime: ZERO, sinceOpen: ZERO, sinceChange: ZERO };
    byAsset.set(asset, {
      asset,
      coin: String(asset),
      signedSize,
      entryNotional: value.abs(),
      marginMode: bucket === null ? 'cross' : 'isolated',
      leverage: 3,
      rawUsd,
      funding: none,
      trip: foundTrip(signedSize.abs(), value.abs(), 1),
    });
  }
  return { cash, positions: byAsset };
}

/** True when the pool that the coin belongs to is below its maintenance margin. */
function mustBeLiquidated(account: Pick<Account, 'cash' | 'positions'>, coin: number, market: FixtureMarket): boolean {
  const mode = account.positions.get(coin)?.marginMode;
  return mode !== undefined && isLiquidatable(healthOf(marginPoolOf(account, mode === 'cross' ? 'cross' : coin), market));
}

describe('safeDistance: how far marks may move before anybody has to look', () => {
  it('nobody whom a full check would liquidate is skipped, whichever marks move how far', () => {
    const moves = fc.array(
      fc.record({ coin: fc.constantFrom(...ASSETS), factor: fc.double({ min: 0.85, max: 1.18, noNaN: true }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    let skipped = 0;
    let liquidated = 0;
    fc.assert(
      fc.property(
        fc.array(held, { minLength: 1, maxLength: 5 }),
        fc.double({ min: 0.005, max: 0.5, noNaN: true }),
        moves,
        (positions, equity, steps) => {
          const market = new FixtureMarket();
          const account = accountOf(positions, equity);
          let prices = wakePrices(account, market);
          for (const { coin, factor } of steps) {
            const name = FIXTURE_COINS[coin]?.coin ?? '';
            const mark = market.prices(coin)?.markPrice ?? ZERO;
            market.setPrices(name, { mark: mark.times(factor.toFixed(6)).toDecimalPlaces(6).toString() });
            const now = market.prices(coin)?.markPrice.toNumber() ?? 0;
            const isWoken = prices.some(
              ({ asset, when, price }) => asset === coin && (when === 'falls' ? now <= price : now >= price),
            );
            const isDue = mustBeLiquidated(account, coin, market);
            if (isDue) expect(isWoken).to.equal(true);
            if (isDue) liquidated += 1;
            if (!isWoken) skipped += 1;
            if (isWoken) prices = wakePrices(account, market);
          }
        },
      ),
      { numRuns: 3000 },
    );
    expect(skipped).to.be.greaterThan(1000);
    expect(liquidated).to.be.greaterThan(1000);
  });

  it('an account below its maintenance margin is in danger, one with a little more is not', () => {
    // 65,000 at 40x needs 812.5.
    const at = (equity: string) => {
      const account = accountOf([{ asset: 0, notional: 65_000, bucket: null }], 0);
      return wakePrices({ ...account, cash: account.cash.plus(equity) }, new FixtureMarket());
    };
    expect(isInDanger(at('812.499999'))).to.equal(true);
    expect(isInDanger(at('812.5'))).to.equal(true); // a rough number does not tell it from the one below
    expect(isInDanger(at('812.501'))).to.equal(false);
    const [price] = at('1462.5');
    expect(price).to.include({ asset: 0, when: 'falls' });
    expect(price?.price).to.be.closeTo(64_350, 0.01); // 650 of slack: one percent
  });

  it('a coin without a mark puts the pool in danger: nobody knows', () => {
    const market = new FixtureMarket();
    market.removePrices('ETH');
    const account = accountOf(
      [
        { asset: 0, notional: 65_000, bucket: null },
        { asset: 1, notional: -1000, bucket: null },
      ],
      0.5,
    );
    expect(wakePrices(account, market)).to.deep.equal([
      { asset: 0, when: 'falls', price: Number.POSITIVE_INFINITY },
      { asset: 1, when: 'rises', price: Number.NEGATIVE_INFINITY },
    ]);
  });

  it('a long that is paid in full has no wake price', () => {
    expect(wakePrices(accountOf([{ asset: 0, notional: 65_000, bucket: null }], 1.5), new FixtureMarket())).to.deep.equal([]);
  });
});
