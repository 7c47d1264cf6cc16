import { expect } from 'chai';
import { WeightWindow } from '../../../src/market/venue/venueServer.ts';

describe('weightWindow: no more than the venue allows in any minute', () => {
  it('spends at once what a minute allows, and says how long to wait for more', () => {
    const window = new WeightWindow(100);
    expect(window.take(60, 0)).to.equal(0);
    expect(window.take(40, 10_000)).to.equal(0);
    expect(window.take(1, 10_000)).to.equal(50_000);
    expect(window.take(60, 60_000)).to.equal(0);
    expect(window.take(1, 69_999)).to.equal(1);
    expect(window.take(40, 70_000)).to.equal(0);
  });

  it('lets a request pass that alone weighs more than a minute allows', () => {
    const window = new WeightWindow(100);
    expect(window.take(150, 0)).to.equal(0);
    expect(window.take(1, 1)).to.equal(59_999);
    expect(window.take(150, 60_000)).to.equal(0);
  });

  it('never lets a minute have more, whatever is asked', () => {
    const window = new WeightWindow(1000);
    const spent: number[] = [];
    for (let nowMs = 0, n = 0; n < 300; n++) {
      const weight = 20 + (n % 13);
      for (let waitMs = window.take(weight, nowMs); waitMs > 0; waitMs = window.take(weight, nowMs)) nowMs += waitMs;
      spent.push(nowMs, weight);
    }
    for (let i = 0; i < spent.length; i += 2) {
      let sum = 0;
      for (let j = i; j < spent.length && Number(spent[j]) < Number(spent[i]) + 60_000; j += 2) sum += Number(spent[j + 1]);
      expect(sum).to.be.at.most(1000);
    }
  });
});
