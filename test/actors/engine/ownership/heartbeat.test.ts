import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { BeatLoop } from '../../../../src/actors/engine/ownership/heartbeat.ts';
import { until } from '../../../support/until.ts';

/** Longer than any of these tests. */
const NEVER_MS = 600_000;

describe('beatLoop: a pod’s heart beats one beat at a time', () => {
  /** Ends of the beats that have begun, in their order. */
  let begun: { readonly end: (error?: Error) => void }[];
  let loop: BeatLoop;
  const loopOf = (everyMs: number): BeatLoop =>
    new BeatLoop({
      log: pino({ level: 'silent' }),
      everyMs,
      beat: () => new Promise((resolve, reject) => begun.push({ end: (error) => (error ? reject(error) : resolve()) })),
    });
  beforeEach(() => {
    begun = [];
    loop = loopOf(NEVER_MS);
  });
  afterEach(() => {
    for (const { end } of begun) end();
    return loop.stop();
  });

  it('wishes that come during a beat are granted after it, by one beat', async () => {
    loop.start();
    loop.soon();
    loop.soon();
    expect(begun).to.have.length(1);
    begun[0]?.end();
    await nextTurn();
    expect(begun).to.have.length(2);
    begun[1]?.end();
    await nextTurn();
    expect(begun).to.have.length(2);
  });

  it('a beat that fails is followed by the next', async () => {
    loop.start();
    begun[0]?.end(new Error('no connection'));
    await nextTurn();
    loop.soon();
    expect(begun).to.have.length(2);
  });

  it('beats regularly', async () => {
    loop = loopOf(15);
    loop.start();
    begun[0]?.end();
    await until(() => begun.length === 2);
  });

  it('beats sooner than regularly when that was asked for', async () => {
    loop.soonAfter(NEVER_MS - 1);
    loop.soonAfter(5);
    await until(() => begun.length === 1);
  });

  it('a stop waits for the beat that runs, and none comes after it', async () => {
    loop.start();
    loop.soon();
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    await nextTurn();
    expect(isStopped).to.equal(false);
    begun[0]?.end();
    await stopped;
    loop.soon();
    loop.soonAfter(0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(begun).to.have.length(1);
  });
});
