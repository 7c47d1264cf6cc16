import { expect } from 'chai';
import { DelayLine, LINE_BYTES_MAX } from '../../../src/api/stream/lateSends.ts';

/** Longer than any test. */
const LONG_MS = 600_000;

describe('DelayLine', () => {
  it('gives on at once what is not to wait, and in its order what comes behind something that waits', () => {
    const line = new DelayLine();
    const given: number[] = [];
    line.put(0, 10, () => given.push(1));
    expect(given).to.deep.equal([1]);
    line.put(LONG_MS, 10, () => given.push(2));
    line.put(0, 10, () => given.push(3));
    expect(given).to.deep.equal([1]);
    line.flush();
    expect(given).to.deep.equal([1, 2, 3]);
    expect(line.bytes).to.equal(0);
  });

  it(`holds ${LINE_BYTES_MAX} bytes at most: beyond them the oldest is given on early; empty messages count, too`, () => {
    for (const bytes of [100_000, 0]) {
      const line = new DelayLine();
      const given: number[] = [];
      for (let i = 0; i < 10_000; i++) line.put(LONG_MS, bytes, () => given.push(i));
      expect(line.bytes).to.be.within(LINE_BYTES_MAX / 2, LINE_BYTES_MAX);
      expect(given.length).to.be.above(0);
      expect(given).to.deep.equal(given.map((_, i) => i));
      line.end();
      expect(line.bytes).to.equal(0);
    }
  });

  it('a shorter wait overtakes no longer one', async () => {
    const line = new DelayLine();
    const given: number[] = [];
    await new Promise<void>((resolve) => {
      line.put(30, 1, () => given.push(1));
      line.put(1, 1, () => {
        given.push(2);
        resolve();
      });
    });
    expect(given).to.deep.equal([1, 2]);
  });
});
