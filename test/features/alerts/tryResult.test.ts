import { expect } from 'chai';
import { nextTryMs, TRIES_MAX } from '../../../src/features/alerts/deliver/tryResult.ts';

describe('tries of a delivery: ten over a day', () => {
  it('each pause is the one that docs/alerts.md tells, and after the tenth try there is none', () => {
    const at = ['0:00:00', '0:00:05', '0:00:35', '0:02:35', '0:12:35', '0:42:35', '1:42:35', '4:42:35', '11:42:35', '23:42:35'];
    const seen: string[] = [];
    let nowMs: number | undefined = 0;
    for (let tries = 1; nowMs !== undefined; tries++) {
      const [seconds, minutes, hours] = [(nowMs / 1000) % 60, Math.floor(nowMs / 60_000) % 60, Math.floor(nowMs / 3_600_000)];
      seen.push(`${hours}:${String(minutes).padStart(2, '0')}:${String(seconds).padStart(2, '0')}`);
      nowMs = nextTryMs(tries, nowMs);
    }
    expect(seen).to.deep.equal(at);
    expect(TRIES_MAX).to.equal(10);
  });
});
