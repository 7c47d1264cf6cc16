import { expect } from 'chai';
import fc from 'fast-check';
import { latestSlice, sliceCount, sliceSize, sliceTimeMs, type Twap } from '../../../../src/actors/core/account/twap.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

const START = 1_700_000_000_000;

function twap(fields: Partial<Twap>): Twap {
  return {
    twapId: 1,
    asset: 0,
    coin: 'BTC',
    side: 'buy',
    size: '1',
    executedSize: '0',
    executedUsd: '0',
    minutes: 30,
    reduceOnly: false,
    randomize: false,
    startedAtMs: START,
    slices: 61,
    nextSlice: 0,
    seed: 1,
    ...fields,
  };
}

/** Sizes of all slices when each is filled whole. */
function sizesOf(running: Twap, sizeDecimals: number): string[] {
  const sizes: string[] = [];
  let executed = new Decimal(0);
  for (let slice = 0; slice < running.slices; slice++) {
    const size = sliceSize({ ...running, executedSize: executed.toString() }, slice, { sizeDecimals });
    executed = executed.plus(size);
    sizes.push(size.toString());
  }
  return sizes;
}

const sum = (sizes: readonly string[]): string => sizes.reduce((total, size) => total.plus(size), new Decimal(0)).toString();

describe('twapSchedule: how many slices, and when', () => {
  const counts: { name: string; minutes: number; usd: string; want: number }[] = [
    { name: 'EX-2.8a: 10000 USD over 1 h', minutes: 60, usd: '10000', want: 121 },
    { name: 'EX-2.8a: 10000 USD over 4 days', minutes: 5760, usd: '10000', want: 1000 },
    { name: 'edge 81: 100 USD over 5 minutes', minutes: 5, usd: '100', want: 10 },
    { name: '109.99 USD over 5 minutes', minutes: 5, usd: '109.99', want: 10 },
    { name: '110 USD over 5 minutes', minutes: 5, usd: '110', want: 11 },
    { name: '1000 USD over 5 minutes', minutes: 5, usd: '1000', want: 11 },
  ];
  for (const { name, minutes, usd, want } of counts) {
    it(`${name}: ${want} slices`, () => expect(sliceCount({ minutes, notional: new Decimal(usd) })).to.equal(want));
  }

  it('EX-2.8a: 121 slices in an hour are 30 s apart, the first at once and the last at the end', () => {
    const hour = twap({ minutes: 60, slices: 121 });
    expect([0, 1, 2, 120].map((slice) => sliceTimeMs(hour, slice) - START)).to.deep.equal([0, 30_000, 60_000, 3_600_000]);
  });

  it('EX-2.8a: 1000 slices in four days are 345.6 s apart', () => {
    const days = twap({ minutes: 5760, slices: 1000 });
    expect([0, 1, 2, 999].map((slice) => sliceTimeMs(days, slice) - START)).to.deep.equal([0, 345_600, 691_200, 345_254_400]);
  });

  it('the latest slice whose time has come is the one to send', () => {
    const running = twap({ nextSlice: 3 });
    const at = (ms: number) => latestSlice(running, START + ms);
    expect([90_000, 119_999, 120_000, 600_000, 86_400_000].map(at)).to.deep.equal([3, 3, 4, 20, 60]);
  });
});

describe('twapSchedule: how large a slice is', () => {
  it('EX-2.8c: what a lot cuts off is carried, and the sum is exact', () => {
    const sizes = sizesOf(twap({ size: '0.01' }), 5);
    expect(sizes.slice(0, 4)).to.deep.equal(['0.00016', '0.00016', '0.00017', '0.00016']);
    expect(sum(sizes)).to.equal('0.01');
  });

  it('EX-2.8d: what nobody sold is made up for, three slices at a time', () => {
    const running = twap({ size: '1.21', minutes: 60, slices: 121 });
    let executed = new Decimal(0);
    const sizes = [5, 6, 7, 8].map((slice) => {
      const size = sliceSize({ ...running, executedSize: executed.toString() }, slice, { sizeDecimals: 4 });
      executed = executed.plus(size);
      return size.toString();
    });
    expect(sizes).to.deep.equal(['0.03', '0.03', '0.02', '0.01']);
  });

  it('edge 82: a slice below one lot is skipped and carried, and the sum is exact', () => {
    const sizes = sizesOf(twap({ size: '5', slices: 11, minutes: 5 }), 0);
    expect(sizes).to.deep.equal(['0', '0', '1', '0', '1', '0', '1', '0', '1', '0', '1']);
  });

  it('edge 82: a lot worth more than three slices is still sent when it is due', () => {
    const sizes = sizesOf(twap({ size: '2', slices: 11, minutes: 5 }), 0);
    expect(sizes).to.deep.equal(['0', '0', '0', '0', '0', '1', '0', '0', '0', '0', '1']);
  });

  it('of random sizes each is within 20 % of the normal one, a pair is two, and the last ends exactly', () => {
    const sizes = sizesOf(twap({ size: '61', randomize: true, seed: 77 }), 5).map(Number);
    for (const size of sizes) expect(size).to.be.within(0.79999, 1.20001);
    for (let pair = 0; pair < 60; pair += 2) expect((sizes[pair] ?? 0) + (sizes[pair + 1] ?? 0)).to.be.closeTo(2, 1e-9);
    expect(new Set(sizes).size).to.be.above(50);
    expect(sizes.reduce((total, size) => total + size, 0)).to.be.closeTo(61, 1e-9);
  });

  it('random sizes are the same for the same seed, and others for another', () => {
    const of = (seed: number) => sizesOf(twap({ size: '61', randomize: true, seed }), 5);
    expect(of(5)).to.deep.equal(of(5));
    expect(of(5)).not.to.deep.equal(of(6));
    expect(of(2 ** 40 + 5)).not.to.deep.equal(of(5));
  });

  it('invariant 25: never more than three normal slices and a lot, never more than is left, exact when all fill', () => {
    const lots = fc.integer({ min: 1, max: 100_000 });
    const shape = fc.record({ lots, slices: fc.integer({ min: 10, max: 60 }), seed: fc.nat(), randomize: fc.boolean() });
    fc.assert(
      fc.property(shape, fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 60, maxLength: 60 }), (one, filled) => {
        const { slices, seed, randomize } = one;
        const running = twap({ size: String(one.lots), minutes: 30, slices, seed, randomize });
        expect(sum(sizesOf(running, 0))).to.equal(running.size);
        let executed = 0;
        for (let slice = 0; slice < slices; slice++) {
          const size = sliceSize({ ...running, executedSize: String(executed) }, slice, { sizeDecimals: 0 }).toNumber();
          expect(size).to.be.within(0, Math.min(Math.max((3 * one.lots) / slices, 1), one.lots - executed));
          executed += Math.floor(size * (filled[slice] ?? 0));
        }
      }),
    );
  });
});
