import { expect } from 'chai';
import { readAgainMs } from '../../../../src/api/stream/channels/candle.ts';
import { RequestError } from '../../../../src/shared/errors.ts';

describe('candleSource: a past that could not be read is read again', () => {
  const between = (ms: number, [from, to]: readonly [number, number]): boolean => ms >= from && ms <= to;

  it('ever later, up to a minute', () => {
    const waits = [0, 1, 4, 5, 50].map((failures) => readAgainMs(new Error('away'), failures));
    const wanted = [
      [2000, 4000],
      [4000, 8000],
      [30_000, 60_000],
      [30_000, 60_000],
      [30_000, 60_000],
    ] as const;
    expect(waits.map((ms, i) => between(ms, wanted[i] ?? [0, 0]))).to.deep.equal(wanted.map(() => true));
  });

  it('not before the failure says', () => {
    const busy = new RequestError(503, 'upstream_busy', 'Try again.', { 'Retry-After': '20' });
    expect(between(readAgainMs(busy, 0), [20_000, 40_000])).to.equal(true);
  });
});
