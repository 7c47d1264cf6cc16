import { expect } from 'chai';
import { CANDLE_PAUSES, readAgainMs } from '../../../../src/api/stream/channels/candle.ts';
import { RequestError } from '../../../../src/shared/errors.ts';
import { Retrying } from '../../../../src/shared/retrying.ts';

describe('candleSource: a past that could not be read is read again', () => {
  const between = (ms: number, [from, to]: readonly [number, number]): boolean => ms >= from && ms <= to;

  it('ever later, up to a minute', () => {
    const retrying = new Retrying('candle', CANDLE_PAUSES);
    const waits = [0, 1, 2, 3, 4, 5].map(() => readAgainMs(new Error('away'), retrying.nextMs()));
    const wanted = [
      [2000, 4000],
      [4000, 8000],
      [8000, 16_000],
      [16_000, 32_000],
      [30_000, 60_000],
      [30_000, 60_000],
    ] as const;
    expect(waits.map((ms, i) => between(ms, wanted[i] ?? [0, 0]))).to.deep.equal(wanted.map(() => true));
  });

  it('not before the failure says', () => {
    const busy = new RequestError(503, 'upstream_busy', 'Try again.', { 'Retry-After': '20' });
    expect(between(readAgainMs(busy, 2000), [20_000, 40_000])).to.equal(true);
  });
});
