import { expect } from 'chai';
import { NO_LIMITS, OpeningPace, VENUE_LIMITS } from '../../../src/shared/venue/venueSocket.ts';
import { Random } from '../../support/faults/seeds.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Almost what the venue allows in all: the listing of November 2026. */
const MESSAGES = [980, 20];

describe('openingPace: connections to a venue that flap', () => {
  it('opens the first ones at once', () => {
    const pace = new OpeningPace(VENUE_LIMITS, () => 1);
    for (const messages of MESSAGES) expect(pace.delayMs(0, { failures: 0, messages })).to.equal(0);
  });

  it('waits longer after each failure, within bounds', () => {
    const delays = (chance: number): number[] => {
      const pace = new OpeningPace(NO_LIMITS, () => chance);
      return [1, 2, 3, 4, 5, 6, 7, 8, 20].map((failures) => pace.delayMs(0, { failures, messages: 1 }));
    };
    expect(delays(1)).to.deep.equal([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
    expect(delays(0)).to.deep.equal([125, 250, 500, 1000, 2000, 4000, 7500, 7500, 7500]);
  });

  for (const seed of [1, 2, 3]) {
    it(`stays within the venue's limits for an hour of flaps, and connects again (seed ${seed})`, () => {
      const random = new Random(seed);
      const pace = new OpeningPace(VENUE_LIMITS, () => random.next());
      const openings = flap(pace, random);
      for (const { atMs } of openings) {
        const minute = openings.filter((one) => one.atMs <= atMs && one.atMs > atMs - MINUTE_MS);
        expect(minute.length, 'new connections in a minute').to.be.at.most(30);
        const sent = minute.reduce((sum, { messages }) => sum + messages, 0);
        expect(sent, 'messages in a minute').to.be.at.most(2000 - 100);
      }
      const times = openings.filter(({ messages }) => messages === MESSAGES[0]).map(({ atMs }) => atMs);
      const gaps = times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0));
      expect(Math.max(...gaps), 'between two of one connection').to.be.at.most(70_000 + 60_000);
    });
  }
});

interface Opening {
  readonly atMs: number;
  readonly messages: number;
}

/** Connections that break at once, or after up to a minute, all through an hour. */
function flap(pace: OpeningPace, random: Random): Opening[] {
  const openings: Opening[] = [];
  const connections = MESSAGES.map((messages) => ({ messages, brokenMs: 0, failures: 0 }));
  for (;;) {
    const next = connections.toSorted((a, b) => a.brokenMs - b.brokenMs)[0] as (typeof connections)[number];
    if (next.brokenMs > HOUR_MS) return openings.toSorted((a, b) => a.atMs - b.atMs);
    const atMs = next.brokenMs + pace.delayMs(next.brokenMs, next);
    openings.push({ atMs, messages: next.messages });
    const livedMs = random.chance(0.8) ? random.whole(0, 500) : random.whole(0, MINUTE_MS);
    next.failures = livedMs > 30_000 ? 1 : next.failures + 1;
    next.brokenMs = atMs + livedMs;
  }
}
