import { expect } from 'chai';
import {
  accountsCurve,
  comparedPair,
  correlation,
  partnersOf,
  RETURNS_MIN,
  returnsOf,
  STEPS_MS,
  stepsOf,
} from '../../../src/dashboard/domain/figures/accounts.ts';
import type { CurvePoint } from '../../../src/dashboard/domain/figures/curve.ts';
import { microUsd } from '../../../src/dashboard/domain/figures/microUsd.ts';
import { readRecording } from '../../support/recordings.ts';

const point = (timeMs: number, equity: string, netDeposits = '1000.0'): CurvePoint => ({ timeMs, equity, netDeposits });

describe('the dashboard’s figures of several accounts', () => {
  it('the sum is exact at every time that an account has a point, and a transfer moves it by nothing', () => {
    const main = [point(10, '1000.1'), point(20, '900.1', '900.0'), point(40, '900.300000000000000001', '900.0')];
    const grid = [point(20, '100.0', '100.0'), point(30, '99.95', '100.0')];
    expect(accountsCurve([main, grid])).to.deep.equal([
      { timeMs: 10, values: ['1000.1', undefined], sum: '1000.1' },
      { timeMs: 20, values: ['900.1', '100.0'], sum: '1000.1' },
      { timeMs: 30, values: ['900.1', '99.95'], sum: '1000.05' },
      { timeMs: 40, values: ['900.300000000000000001', '99.95'], sum: '1000.250000000000000001' },
    ]);
    expect(accountsCurve([])).to.deep.equal([]);
    expect(accountsCurve([[point(1, '-0.5')], []])).to.deep.equal([{ timeMs: 1, values: ['-0.5', undefined], sum: '-0.5' }]);
  });

  it('a fork stands beside what it began from, over several forks too, and beside other forks of that; nothing else does', () => {
    const member = (address: string, of?: string) => ({ address, fork: of === undefined ? null : { of } });
    const [main, a, b, deep, grid, lost] = [
      ...[member('main'), member('a', 'main'), member('b', 'main'), member('deep', 'a'), member('grid')],
      member('lost', 'of a closed one'),
    ];
    const accounts = [main, a, b, deep, grid, lost].flatMap((one) => one ?? []);
    const partners = (one: (typeof accounts)[number] | undefined) =>
      one ? partnersOf(accounts, one).map(({ address }) => address) : [];
    expect([partners(a), partners(deep), partners(grid), partners(lost)]).to.deep.equal([
      ...[['main', 'b', 'deep'], ['a', 'main', 'b'], [], []],
    ]);
    const pair = (fork: string | null, other: string | null) => {
      const found = comparedPair(accounts, { fork, other });
      return found && [found.fork.address, found.other.address];
    };
    expect([pair(null, null), pair('deep', 'b'), pair('deep', 'grid'), pair('grid', 'nobody')]).to.deep.equal([
      ...[
        ['a', 'main'],
        ['deep', 'b'],
        ['deep', 'a'],
        ['a', 'main'],
      ],
    ]);
    expect(comparedPair([member('main'), member('grid')], { fork: 'grid', other: null })).to.equal(undefined);
  });

  it('steps are multiples of their length, from the first point to the last', () => {
    expect(stepsOf([[point(15, '1'), point(42, '1')], [point(31, '1')]], 10)).to.deep.equal([20, 30, 40]);
    expect(stepsOf([[point(20, '1'), point(40, '1')]], 10)).to.deep.equal([20, 30, 40]);
    expect(stepsOf([], STEPS_MS['1d'])).to.deep.equal([]);
    expect(stepsOf([[]], STEPS_MS.all)).to.deep.equal([]);
  });

  it('a return is the gain of a step by the equity before it; deposits are none, and there is none without equity', () => {
    const points = [point(20, '1000'), point(30, '1100'), point(35, '1050'), point(40, '1250', '1200'), point(55, '0', '1200')];
    // Standing still until 30; 1100 to 1250 with 200 paid in is a loss of 50; all is lost at 60; nothing is left for 70.
    expect(returnsOf(points, [10, 20, 30, 40, 50, 60, 70])).to.deep.equal([undefined, 0.1, -50 / 1100, 0, -1, undefined]);
    expect(returnsOf([], [10, 20])).to.deep.equal([undefined]);
    expect(returnsOf(points, [])).to.deep.equal([]);
  });

  // x = 1…10; its mean is 5.5 and the sum of the squares of its distances 82.5.
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

  it('correlation is as it comes out by hand', () => {
    expect(
      correlation(
        x,
        x.map((value) => 3 * value - 7),
      ).value,
    ).to.be.closeTo(1, 1e-12);
    expect(
      correlation(
        x,
        x.map((value) => -value),
      ).value,
    ).to.be.closeTo(-1, 1e-12);
    // y swaps neighbours: 2,1,4,3,…; each of the five pairs takes 1 from Σxy, so (82.5 − 5) / 82.5.
    expect(correlation(x, [2, 1, 4, 3, 6, 5, 8, 7, 10, 9]).value).to.be.closeTo(77.5 / 82.5, 1e-12);
    // y = 1 at both ends only: Σ(x−5.5)(y−0.2) = −4.5 + 4.5 = 0.
    expect(correlation(x, [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]).value).to.be.closeTo(0, 1e-12);
  });

  it('of accounts that held kPEPE at the venue’s recorded prices it is what fractions come to by hand', () => {
    // 24 closes of an hour each; one is 0.001604 first. Amounts in millionths of a USD, prices too: each is a whole number.
    const { response } = readRecording('info.candleSnapshot');
    const hours = (response as { T: number; c: string }[]).map(({ T, c }) => ({
      timeMs: T + 1,
      price: Math.round(Number(c) * 1e6),
    }));
    expect(hours.slice(0, 3).map(({ price }) => price)).to.deep.equal([1604, 1591, 1605]);
    const usd = (micro: number): string => (micro / 1e6).toFixed(6);
    /** @param position in units of the coin, between an hour and the next @param paidIn in that hour, millionths of a USD */
    const held = (begin: number, position: (hour: number) => number, paidIn: (hour: number) => number = () => 0) => {
      let [equity, deposits] = [begin, begin];
      return hours.map(({ timeMs, price }, i): CurvePoint => {
        equity += paidIn(i) + (i === 0 ? 0 : position(i - 1) * (price - (hours[i - 1]?.price ?? 0)));
        deposits += paidIn(i);
        return { timeMs, equity: usd(equity), netDeposits: usd(deposits) };
      });
    };
    // 1,000 USD and 200,000 long; 500 USD and 150,000 long, from the 13th close on 250,000 short, 250 USD paid in after the 17th.
    const long = held(1000e6, () => 200_000);
    const turned = held(
      500e6,
      (hour) => (hour < 12 ? 150_000 : -250_000),
      (hour) => (hour === 16 ? 250e6 : 0),
    );
    expect([long[1]?.equity, turned[16]?.equity, turned[23]?.equity]).to.deep.equal(['997.400000', '740.250000', '748.000000']);
    const steps = stepsOf([long, turned], STEPS_MS['7d']);
    expect(steps).to.have.length(12);
    const ofLong = [
      ...[5 / 4987, -17 / 1664, -1 / 1647, 1 / 4938, 21 / 4939, 1 / 620],
      ...[11 / 4968, -8 / 4979, -15 / 1657, 0, 5 / 2463],
    ];
    const ofTurned = [
      ...[15 / 9961, -153 / 9976, -9 / 9823, 3 / 9814, 63 / 9817, -2 / 247],
      ...[-11 / 1960, 8 / 1949, 45 / 2957, 0, -5 / 1501],
    ];
    for (const [of, wanted] of [[long, ofLong] as const, [turned, ofTurned] as const]) {
      returnsOf(of, steps).forEach((value, i) => {
        expect(value, `step ${i}`).to.be.closeTo(wanted[i] ?? Number.NaN, 1e-15);
      });
    }
    // Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²) of these fractions, to 50 digits: 0.01146356652649599958…
    const { value, returns } = correlation(returnsOf(long, steps), returnsOf(turned, steps));
    expect(returns).to.equal(11);
    expect(value).to.be.closeTo(0.011463566526496, 1e-13);
  });

  it('one that gains the same share at each step has no correlation, whatever binary fractions make of the shares', () => {
    let units = 10n ** 30n;
    const steady = Array.from({ length: 13 }, (_, i): CurvePoint => {
      const text = units.toString().padStart(31, '0');
      units = (units * 101n) / 100n;
      return point(i * 10, `${text.slice(0, -28)}.${text.slice(-28)}`);
    });
    const steps = steady.map(({ timeMs }) => timeMs);
    const shares = returnsOf(steady, steps);
    expect(new Set(shares).size, 'the shares differ by their rounding').to.be.above(1);
    expect(correlation(shares, [...x, 11, 12])).to.deep.equal({ value: undefined, returns: 12 });
    expect(correlation([...x, 11, 12], shares)).to.deep.equal({ value: undefined, returns: 12 });
  });

  it('counts the steps that both have, and says nothing of too few or of an account that stands still', () => {
    expect(RETURNS_MIN).to.equal(10);
    const gaps = [undefined, ...x, 5];
    const others = [5, ...x.map((value) => 2 * value), undefined];
    const both = correlation(gaps, others);
    expect(both.returns).to.equal(10);
    expect(both.value).to.be.closeTo(1, 1e-12);
    expect(correlation(x.slice(1), x.slice(1))).to.deep.equal({ value: undefined, returns: 9 });
    expect(
      correlation(
        x,
        x.map(() => 0),
      ),
    ).to.deep.equal({ value: undefined, returns: 10 });
    expect(correlation([], [])).to.deep.equal({ value: undefined, returns: 0 });
  });

  it('amounts are read to the millionth, and what is none is refused', () => {
    expect(microUsd('1 000.5')).to.equal(1_000_500_000);
    expect(microUsd('0.000001')).to.equal(1);
    for (const text of ['', '0', '0.0000001', '-1', '1e3', 'NaN', '٣', '1.', '9'.repeat(13)])
      expect(microUsd(text), text).to.equal(undefined);
  });
});
