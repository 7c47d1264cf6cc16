import { expect } from 'chai';
import { PrefetchedQuota } from '../../../../src/api/access/limits/prefetchedQuota.ts';

const BUCKET_MS = 250;
const CAP = 1_000_000;
const SUBJECT = 'key:a';

describe('prefetchedQuota: a busy subject takes requests in advance', () => {
  let quota: PrefetchedQuota;
  let nowMs: number;
  let asked: number;

  /** One request: spent from what was taken, or asked for as the limiter does. */
  const request = (): void => {
    if (quota.spend([{ subject: SUBJECT, cap: CAP, cost: 1 }], nowMs) !== undefined) return;
    asked += 1;
    const left = quota.wanted(SUBJECT, { cap: CAP, came: 1, nowMs });
    const endsAtMs = (Math.floor(nowMs / BUCKET_MS) + 1) * BUCKET_MS;
    quota.take(SUBJECT, { cap: CAP, endsAtMs, resetMs: 0, used: 0, left, came: 1, nowMs });
  };
  /** So many requests in one sub-window. @returns how many of them had to ask */
  const subWindow = (requests: number): number => {
    asked = 0;
    for (let i = 0; i < requests; i++) request();
    nowMs += BUCKET_MS;
    return asked;
  };
  beforeEach(() => {
    quota = new PrefetchedQuota(BUCKET_MS);
    nowMs = 1_000_000;
  });

  it('as many as it used in the sub-window before, so that one request of a steady subject asks', () => {
    expect(subWindow(10)).to.be.within(2, 5);
    expect([subWindow(10), subWindow(10), subWindow(9), subWindow(9)]).to.deep.equal([1, 1, 1, 1]);
  });

  it('nothing where it was silent for a sub-window, or has been slow', () => {
    subWindow(10);
    nowMs += BUCKET_MS;
    expect(quota.wanted(SUBJECT, { cap: CAP, came: 1, nowMs })).to.equal(0);
    subWindow(1);
    expect(quota.wanted(SUBJECT, { cap: CAP, came: 1, nowMs })).to.equal(0);
  });

  it('never more than a small share of its limit, and nothing of a small limit', () => {
    for (let i = 0; i < 200; i++) subWindow(200);
    expect(quota.wanted(SUBJECT, { cap: CAP, came: 1, nowMs })).to.equal(CAP / 20_000);
    expect(quota.wanted(SUBJECT, { cap: 200, came: 1, nowMs })).to.equal(0);
  });

  it('nothing is spent after the sub-window that it was taken in', () => {
    subWindow(10);
    subWindow(3);
    expect(quota.spend([{ subject: SUBJECT, cap: CAP, cost: 1 }], nowMs)).to.equal(undefined);
  });
});
