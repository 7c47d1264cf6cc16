import { expect } from 'chai';
import { EachSecond, momentOf, type SecondTimes } from '../../../../src/actors/engine/turns/workSchedule.ts';

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
