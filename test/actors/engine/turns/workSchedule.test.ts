import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import {
  EachSecond,
  momentOf,
  PodTurns,
  type SecondTimes,
  WorkSchedule,
} from '../../../../src/actors/engine/turns/workSchedule.ts';
import { until } from '../../../support/until.ts';

describe('workSchedule: when a shard works without being told to', () => {
  let works: number;
  let sweeps: number;
  let schedule: WorkSchedule;
  beforeEach(() => {
    works = 0;
    sweeps = 0;
    const turns = new PodTurns(() => performance.now());
    schedule = new WorkSchedule({
      ...{ turns, sweepShare: 0.5, now: () => 1000 },
      onWork: () => (works += 1),
      onSweep: () => (sweeps += 1),
    });
  });
  afterEach(() => schedule.stop());

  it('works once in the next turn, however often that was planned in this one', async () => {
    schedule.plan();
    schedule.plan();
    expect(works).to.equal(0);
    await setImmediate();
    expect(works).to.equal(1);
    schedule.plan();
    await setImmediate();
    expect(works).to.equal(2);
  });

  it('works when an account is due; the last time that was told counts, and a time that has passed is now', async () => {
    schedule.planAt(1_000_000);
    schedule.planAt(1005);
    await until(() => works === 1);
    schedule.planAt(900);
    await until(() => works === 2);
  });

  it('works at no time when none is due any more', async () => {
    schedule.planAt(1002);
    schedule.planAt(undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(works).to.equal(0);
  });

  it('sweeps once a second', async () => {
    await until(() => sweeps >= 1);
    expect(works).to.equal(0);
  });

  it('does nothing after a stop', async () => {
    schedule.planAt(1002);
    schedule.stop();
    schedule.plan();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(works).to.equal(0);
  });
});

/** An event loop that goes round when a test says so, with a clock that work moves. */
class Loop {
  nowMs = 0;
  readonly did: string[] = [];
  readonly turns = new PodTurns(
    () => this.nowMs,
    (run) => this.#deferred.push(run),
  );
  #deferred: (() => void)[] = [];

  /** A shard that needs so many pieces of work of this length. */
  busy(shard: string, pieces: number, ms: number): void {
    this.turns.plan(() => {
      this.nowMs += ms;
      this.did.push(shard);
      if (pieces > 1) this.busy(shard, pieces - 1, ms);
    });
  }

  /** @returns how long the loop was held, ms */
  round(): number {
    const startedMs = this.nowMs;
    for (const run of this.#deferred.splice(0)) run();
    return this.nowMs - startedMs;
  }
}

describe('podTurns: the shards of a pod share its thread', () => {
  it('the loop goes round after a slice, also while every shard has work: leases are renewed meanwhile', () => {
    const loop = new Loop();
    for (let shard = 0; shard < 16; shard++) loop.busy(`${shard}`, 100, 2);
    for (let n = 0; n < 50; n++) expect(loop.round()).to.be.at.most(7);
    expect(new Set(loop.did).size).to.equal(16);
  });

  it('a shard with long pieces delays another by one of them', () => {
    const loop = new Loop();
    loop.busy('heavy', 100, 60);
    loop.round();
    loop.busy('quiet', 1, 1);
    loop.round();
    loop.round();
    expect(loop.did.slice(0, 3)).to.deep.equal(['heavy', 'heavy', 'quiet']);
  });

  it('short pieces of many shards are done in one slice', () => {
    const loop = new Loop();
    for (let shard = 0; shard < 16; shard++) loop.busy(`${shard}`, 1, 0.1);
    loop.round();
    expect(loop.did).to.have.length(16);
  });

  it('background work of many shards: one piece in a round of the loop, in the order in which it was asked for', async () => {
    const loop = new Loop();
    const work = async (name: string): Promise<void> => {
      for (let piece = 1; piece <= 2; piece++) {
        await loop.turns.background();
        loop.did.push(`${name}${piece}`);
      }
    };
    const works = ['a', 'b', 'c'].map(work);
    for (let rounds = 0; rounds <= 6; rounds++) {
      expect(loop.did).to.have.length(rounds);
      await setImmediate(); // what was promised is told
      loop.round();
      await setImmediate();
    }
    await Promise.all(works);
    expect(loop.did).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('work that throws does not keep the others from their turns', () => {
    const loop = new Loop();
    loop.turns.plan(() => {
      throw new Error('broken');
    });
    loop.busy('other', 1, 1);
    expect(() => loop.round()).to.throw('broken');
    loop.round();
    expect(loop.did).to.deep.equal(['other']);
  });
});

const SHARDS = 16;
/** Far more than there are in any of these tests. */
const RUNS_MAX = 10_000;

/** A clock that stands still but for `pass`, which runs what is due, a little early or late as timers do. */
class Clock implements SecondTimes {
  #atMs = 12_345.6;
  readonly #planned = new Set<{ readonly dueMs: number; readonly run: () => void }>();

  readonly nowMs = (): number => this.#atMs;

  readonly later = (run: () => void, ms: number): (() => void) => {
    const planned = { dueMs: this.#atMs + ms, run };
    this.#planned.add(planned);
    return () => this.#planned.delete(planned);
  };

  /** @param offMs the clock's error when the next one runs */
  pass(ms: number, offMs = 0): void {
    const endMs = this.#atMs + ms;
    for (let ran = 0; ran < RUNS_MAX; ran++) {
      const [first] = [...this.#planned].sort((a, b) => a.dueMs - b.dueMs);
      if (first === undefined || first.dueMs > endMs) break;
      this.#planned.delete(first);
      this.#atMs = Math.max(this.#atMs, first.dueMs + offMs);
      first.run();
    }
    this.#atMs = Math.max(this.#atMs, endMs);
  }

  /** The event loop is held: nothing runs meanwhile. */
  hold(ms: number): void {
    this.#atMs += ms;
  }
}

describe('eachSecond: what every shard does once a second', () => {
  let clock: Clock;
  /** Shard and time of each run. */
  let runs: { readonly shard: number; readonly atMs: number }[];
  let all: EachSecond[];
  beforeEach(() => {
    clock = new Clock();
    runs = [];
    all = Array.from(
      { length: SHARDS },
      (_, shard) => new EachSecond(shard / SHARDS, () => runs.push({ shard, atMs: clock.nowMs() }), clock),
    );
  });

  const takeRuns = () => runs.splice(0);
  const gaps = (times: readonly number[]) => times.slice(1).map((atMs, n) => atMs - (times[n] as number));

  it('shards that begin together have a moment each, as far from each other as can be', () => {
    clock.pass(5000);
    const apart = gaps(runs.map(({ atMs }) => atMs));
    expect(Math.min(...apart)).to.be.closeTo(1000 / SHARDS, 1e-6);
    expect(Math.max(...apart)).to.be.closeTo(1000 / SHARDS, 1e-6);
  });

  it('each does it once a second, the first time within a second, with timers that are early or late', () => {
    for (const offMs of [0, -0.9, 7]) {
      clock.pass(10_000, offMs);
      const inTime = takeRuns();
      for (let shard = 0; shard < SHARDS; shard++) {
        const times = inTime.filter((run) => run.shard === shard).map(({ atMs }) => atMs);
        expect(times.length, `${offMs}`).to.be.within(10, 11);
        for (const gap of gaps(times)) expect(gap).to.be.closeTo(1000, 8);
      }
    }
  });

  it('after a pod was held up, the moments are as far apart as before', () => {
    clock.pass(3000);
    clock.hold(2345);
    clock.pass(1000);
    takeRuns();
    clock.pass(3000);
    expect(Math.min(...gaps(runs.map(({ atMs }) => atMs)))).to.be.closeTo(1000 / SHARDS, 1e-6);
  });

  it('the shards of a pod share eight moments evenly, a few shards have one each', () => {
    const moments = (shards: number) => Array.from({ length: shards }, (_, shard) => momentOf(shard, shards));
    const eighths = Array.from({ length: 8 }, (_, n) => n / 8);
    expect(moments(16)).to.deep.equal(eighths.flatMap((moment) => [moment, moment]));
    expect(moments(8)).to.deep.equal(eighths);
    expect(new Set(moments(3)).size).to.equal(3);
  });

  it('ends with a stop', () => {
    for (const one of all) one.stop();
    clock.pass(5000);
    expect(runs).to.deep.equal([]);
  });
});
