import { expect } from 'chai';
import type { CurvePoint } from '../../../../src/dashboard/domain/figures/curve.ts';
import { comparedPair, partnersOf } from '../../../../src/dashboard/domain/figures/group/comparedPair.ts';
import {
  correlation,
  RETURNS_MIN,
  returnsOf,
  STEPS_MS,
  stepsOf,
} from '../../../../src/dashboard/domain/figures/group/correlation.ts';
import { groupCurve } from '../../../../src/dashboard/domain/figures/group/groupCurve.ts';
import { microUsd } from '../../../../src/dashboard/domain/figures/group/microUsd.ts';

const point = (timeMs: number, equity: string, netDeposits = '1000.0'): CurvePoint => ({ timeMs, equity, netDeposits });

describe('the dashboard’s figures of several accounts', () => {
  it('the sum is exact at every time that an account has a point, and a transfer moves it by nothing', () => {
    const main = [point(10, '1000.1'), point(20, '900.1', '900.0'), point(40, '900.300000000000000001', '900.0')];
    const grid = [point(20, '100.0', '100.0'), point(30, '99.95', '100.0')];
    expect(groupCurve([main, grid])).to.deep.equal([
      { timeMs: 10, values: ['1000.1', undefined], sum: '1000.1' },
      { timeMs: 20, values: ['900.1', '100.0'], sum: '1000.1' },
      { timeMs: 30, values: ['900.1', '99.95'], sum: '1000.05' },
      { timeMs: 40, values: ['900.300000000000000001', '99.95'], sum: '1000.250000000000000001' },
    ]);
    expect(groupCurve([])).to.deep.equal([]);
    expect(groupCurve([[point(1, '-0.5')], []])).to.deep.equal([{ timeMs: 1, values: ['-0.5', undefined], sum: '-0.5' }]);
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
