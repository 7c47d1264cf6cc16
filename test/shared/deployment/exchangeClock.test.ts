import { expect } from 'chai';
import { Registry } from 'prom-client';
import { ClockWatch, ExchangeClock } from '../../../src/shared/deployment/exchangeClock.ts';
import type { Logger } from '../../../src/shared/logger.ts';

const NOON_MS = Date.UTC(2026, 10, 22, 12);
const HOUR_MS = 3_600_000;

describe('exchangeClock: Redis’s time, whatever the system’s clock says', () => {
  let monotonic: number;
  let systemMs: number;
  let clock: ExchangeClock;

  beforeEach(() => {
    monotonic = 1000;
    systemMs = NOON_MS;
    clock = new ExchangeClock({ monotonic: () => monotonic, system: () => systemMs });
  });

  /** An answer that took so long, half of it on its way there. */
  const hear = (redisMs: number, tookMs = 0): void => {
    const sentAt = monotonic;
    monotonic += tookMs;
    systemMs += tookMs;
    clock.observe({ redisMs, sentAt, heardAt: monotonic });
  };
  const pass = (ms: number): void => {
    monotonic += ms;
    systemMs += ms;
  };

  it('is set ahead by an offset that only grows, the market first, and says so', () => {
    hear(NOON_MS);
    const heard: number[] = [];
    clock.onShift(() => heard.push(clock.offsets.offsetMs, clock.offsets.marketMs));
    clock.shift({ offsetMs: 0, marketMs: HOUR_MS });
    expect([clock.now(), clock.marketNow(), clock.realNow()]).to.deep.equal([NOON_MS, NOON_MS + HOUR_MS, NOON_MS]);
    clock.shift({ offsetMs: HOUR_MS, marketMs: 0 });
    clock.shift({ offsetMs: 5, marketMs: 5 });
    expect([clock.now(), clock.marketNow(), clock.realNow()]).to.deep.equal([NOON_MS + HOUR_MS, NOON_MS + HOUR_MS, NOON_MS]);
    expect(heard).to.deep.equal([0, HOUR_MS, HOUR_MS, HOUR_MS]);
  });

  it('is the system’s until Redis has spoken', () => {
    expect(clock.now()).to.equal(NOON_MS);
    expect(clock.systemAheadMs).to.equal(0);
  });

  for (const [name, aheadMs] of Object.entries({ 'an hour ahead': HOUR_MS, '10 s behind': -10_000, '1.5 s ahead': 1500 })) {
    it(`is right on a machine that is ${name}, and says so`, () => {
      hear(NOON_MS - aheadMs);
      expect(clock.now()).to.equal(NOON_MS - aheadMs);
      expect(clock.realNow()).to.equal(NOON_MS - aheadMs);
      expect(clock.systemAheadMs).to.equal(aheadMs);
    });
  }

  it('goes on when the system’s clock is set', () => {
    hear(NOON_MS);
    systemMs += HOUR_MS;
    pass(500);
    expect(clock.now()).to.equal(NOON_MS + 500);
    expect(clock.systemAheadMs).to.equal(HOUR_MS);
  });

  it('takes the middle of the shortest way for the moment at which Redis spoke', () => {
    hear(NOON_MS + 10, 20);
    expect(clock.now()).to.equal(NOON_MS + 20);
    hear(NOON_MS + 20, 800);
    expect(clock.now(), 'an answer that took long says little').to.equal(NOON_MS + 820);
  });

  it('is slowed down, never set back, when it was a little ahead', () => {
    hear(NOON_MS, 200);
    const before = clock.now();
    hear(before - 50);
    const times = Array.from({ length: 10 }, () => {
      pass(100);
      return clock.now();
    });
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(times[0]).to.equal(before + 90);
    expect(times[9]).to.equal(before - 50 + 1000);
  });

  for (const behindMs of [1100, 5000, 59_000]) {
    it(`never goes back when Redis’s node is replaced by one that is ${behindMs} ms behind, and comes to its time`, () => {
      hear(NOON_MS);
      pass(1000);
      let redisMs = NOON_MS + 1000 - behindMs;
      let latest = clock.now();
      const startedAt = monotonic;
      while (clock.now() > redisMs) {
        hear(redisMs);
        expect(clock.now()).to.be.at.least(latest);
        latest = clock.now();
        pass(250);
        redisMs += 250;
      }
      expect(monotonic - startedAt).to.be.within(2 * (behindMs - 1000), 2 * behindMs + 10_000);
      expect(clock.now()).to.equal(redisMs);
    });
  }

  it('leaps ahead with a node that is ahead, and slows down when the one before is back', () => {
    hear(NOON_MS);
    hear(NOON_MS + 5000);
    expect(clock.now()).to.equal(NOON_MS + 5000);
    hear(NOON_MS);
    expect(clock.now()).to.equal(NOON_MS + 5000);
    pass(1000);
    expect(clock.now()).to.equal(NOON_MS + 5500);
  });

  it('follows Redis at once when its clock is set by more than machines differ', () => {
    hear(NOON_MS);
    hear(NOON_MS - HOUR_MS);
    expect(clock.now()).to.equal(NOON_MS - HOUR_MS);
    hear(NOON_MS);
    expect(clock.now()).to.equal(NOON_MS);
  });
});

describe('clockWatch: a machine whose clock is wrong', () => {
  it('is said in the log once, again when it changes, and in the metrics', async () => {
    const lines: string[] = [];
    const note = (...words: unknown[]): void => void lines.push(JSON.stringify(words));
    const log = { warn: note, info: note } as unknown as Logger;
    const clock = { systemAheadMs: 900 };
    const registry = new Registry();
    const watch = new ClockWatch(clock, { log, registry });
    expect(watch.look()).to.equal(0);
    expect(lines).to.have.lengthOf(0);
    clock.systemAheadMs = 3_600_000;
    expect([watch.look(), watch.look()]).to.deep.equal([3_600_000, 3_600_000]);
    expect(lines).to.have.lengthOf(1);
    clock.systemAheadMs = -10_000;
    expect([watch.look(), watch.look()]).to.deep.equal([-10_000, -10_000]);
    expect(lines).to.have.lengthOf(2);
    expect(await registry.metrics()).to.match(/^clock_offset_seconds -10$/m);
    clock.systemAheadMs = 0;
    expect(watch.look()).to.equal(0);
    expect(lines).to.have.lengthOf(3);
  });
});
