import { expect } from 'chai';
import { Sampling, WANTED_PER_SECOND } from '../../../src/shared/tracing/openTelemetry.ts';

const place = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const wanted = { ...place, isSampled: true };

describe('sampling: a share by chance, and few that clients want', () => {
  let nowMs = 0;
  const sampling = (share: number, chance = () => 0.5) => new Sampling(share, chance, () => nowMs);
  const taken = (one: Sampling, count: number): number =>
    Array.from({ length: count }, () => one.takes(wanted)).filter(Boolean).length;

  it('takes what chance takes, and no other', () => {
    const chances = [0.009, 0.01, 0.5, 0];
    const one = sampling(0.01, () => chances.shift() ?? 1);
    expect([one.takes(), one.takes(), one.takes(), one.takes()]).to.deep.equal([true, false, false, true]);
  });

  it('takes none of a share of 0 and all of a share of 1', () => {
    expect(sampling(0, () => 0).takes()).to.equal(false);
    expect(sampling(1, () => 0.999_999).takes()).to.equal(true);
  });

  it('takes what a client wants, up to the bound, and again as time goes on', () => {
    const one = sampling(0.01);
    expect(taken(one, 1000)).to.equal(WANTED_PER_SECOND);
    nowMs += 100;
    expect(taken(one, 1000)).to.equal(WANTED_PER_SECOND / 10);
    nowMs += 3_600_000;
    expect(taken(one, 1000)).to.equal(WANTED_PER_SECOND);
  });

  it('goes by chance where the client does not want it', () => {
    expect(sampling(0.01).takes({ ...place, isSampled: false })).to.equal(false);
    expect(sampling(0.6).takes({ ...place, isSampled: false })).to.equal(true);
  });
});
