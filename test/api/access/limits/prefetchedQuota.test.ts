import { expect } from 'chai';
import { PrefetchedQuota } from '../../../../src/api/access/limits/prefetchedQuota.ts';

const HOLD_MS = 5000;
const CAP = 1_000_000;
const SUBJECT = 'key:a';
const ONE = { subject: SUBJECT, cap: CAP, cost: 1 };

describe('prefetchedQuota: what is used often is taken in advance', () => {
  let quota: PrefetchedQuota;
  let nowMs: number;
  let asked: number;
  let bucket: number;

  const at = () => ({ steadyMs: nowMs, nowMs });
  /** One request: spent from what was taken, or asked for as the limiter does. */
  const request = (): void => {
    if (quota.spend([ONE], at()) !== undefined) return;
    asked += 1;
    const { wanted: left } = quota.turnOver(ONE, 1, nowMs);
    quota.take(SUBJECT, { cap: CAP, endsAtMs: nowMs + HOLD_MS, resetMs: 0, used: 0, left, bucket: ++bucket });
  };
  /** So many requests, evenly in one hold time. @returns how many of them had to ask */
  const holdTime = (requests: number): number => {
    asked = 0;
    for (let i = 0; i < requests; i++) {
      request();
      nowMs += HOLD_MS / requests;
    }
    return asked;
  };
  beforeEach(() => {
    quota = new PrefetchedQuota(HOLD_MS);
    nowMs = 1_000_000;
    bucket = 0;
  });

  it('as much as was used in the hold time before, so that one request of a steady subject asks', () => {
    expect(holdTime(50)).to.be.within(2, 8);
    expect([holdTime(50), holdTime(50), holdTime(50)]).to.deep.equal([1, 1, 1]);
  });

  it('nothing where it was silent for long, or asks once in a hold time', () => {
    holdTime(10);
    nowMs += 3 * HOLD_MS;
    expect(quota.turnOver(ONE, 1, nowMs)).to.deep.equal({ wanted: 0 });
    quota = new PrefetchedQuota(HOLD_MS);
    holdTime(1);
    expect(quota.turnOver(ONE, 1, nowMs)).to.deep.equal({ wanted: 0 });
  });

  it('never more than a small share of its limit, and nothing of a small limit', () => {
    for (let i = 0; i < 200; i++) holdTime(2000);
    expect(quota.turnOver(ONE, 1, nowMs).wanted).to.equal(CAP / 1000);
    const small = { subject: 'key:b', cap: 9999, cost: 1 };
    for (let i = 0; i < 10; i++) expect(quota.turnOver(small, 1, nowMs)).to.deep.equal({ wanted: 0 });
  });

  it('nothing is spent after the hold time', () => {
    holdTime(50);
    request();
    nowMs += HOLD_MS;
    expect(quota.spend([ONE], at())).to.equal(undefined);
  });

  it('what is left goes back with the next call, once, and is not spent any more', () => {
    holdTime(50);
    request();
    nowMs += HOLD_MS;
    const { returned } = quota.turnOver(ONE, 1, nowMs);
    expect(returned?.units).to.be.within(25, 50);
    expect(returned?.bucket).to.equal(bucket);
    expect(quota.turnOver(ONE, 1, nowMs).returned).to.equal(undefined);
    nowMs -= HOLD_MS;
    expect(quota.spend([ONE], at())).to.equal(undefined);
  });

  it('nothing goes back when Redis may have begun its windows anew meanwhile', () => {
    holdTime(50);
    request();
    nowMs += 2 * HOLD_MS;
    expect(quota.turnOver(ONE, 1, nowMs)).to.deep.equal({ wanted: 0 });
  });

  it('while a call is under way another one takes nothing in advance', () => {
    holdTime(50);
    expect(quota.turnOver(ONE, 1, nowMs).wanted).to.be.above(0);
    expect(quota.turnOver(ONE, 1, nowMs).wanted).to.equal(0);
  });

  it('tells no reset that has passed', () => {
    holdTime(50);
    request();
    expect(quota.spend([ONE], at())?.[0]?.resetMs).to.equal(nowMs);
  });
});
