import { expect } from 'chai';
import { type Process, type Sample, stateBetween } from '../../bench/report/machineWatch.ts';
import { merged } from '../../bench/report/merged.ts';
import { type BenchRun, resultsIn, runInTurn } from '../../bench/report/runs.ts';
import { tableOf } from '../../bench/report/table.ts';

const BENCH = 100;

const program = (name: string, parent: number, ticks: number, ended = 0): Process => ({
  ...{ name, parent, ticks, ticksWithEnded: ticks + ended },
});

/** Two cores; `processes` by their ids. */
const at = (second: number, busyTicks: number, stealTicks: number, processes: Record<number, Process>): Sample => ({
  ...{ atMs: second * 1000, load: 1.5, busyTicks, stealTicks, allTicks: second * 200 },
  processes: new Map(Object.entries(processes).map(([pid, one]) => [Number(pid), one])),
});

describe('a bench tells what the machine did meanwhile', () => {
  const before = at(0, 0, 0, { [BENCH]: program('bench', 1, 0), 7: program('compiler', 1, 500) });

  it('what comes from the bench, and what has ended below it, is its own', () => {
    const processes = {
      [BENCH]: program('bench', 1, 100, 300),
      200: program('api', BENCH, 300),
      201: program('sh', 200, 100, 100),
    };
    const state = stateBetween(before, at(10, 910, 0, { ...processes, 7: program('compiler', 1, 500) }), BENCH);
    expect(state).to.deep.equal({ load: 1.5, stealPercent: 0, otherCores: 0.01, others: {}, doubts: [] });
  });

  it('more than 0.3 cores of others, or more than 5 % taken by the host, make it doubtful, and others are named', () => {
    const processes = { [BENCH]: program('bench', 1, 100), 7: program('compiler', 1, 820) };
    const state = stateBetween(before, at(10, 450, 120, processes), BENCH);
    expect(state).to.deep.include({ stealPercent: 6, otherCores: 0.35, others: { 'compiler 7': 0.32 } });
    expect(state.doubts).to.deep.equal(['the host took 6 % of the time', 'others used 0.35 cores']);
  });
});

const quiet = { load: 1, stealPercent: 0, otherCores: 0, others: {}, doubts: [] };

describe('the runs of the benches', () => {
  it('one that fails costs its own figures, and is named', () => {
    const seen: number[] = [];
    const run = (bench: string) => {
      if (bench === 'b') throw new Error('no port is free');
      return { results: { [bench]: { count: 7 } } };
    };
    const runs = runInTurn(['a', 'b', 'c'], run, { watch: () => () => quiet, onRun: (done) => seen.push(done.length) });
    expect(runs.map(({ failed }) => failed)).to.deep.equal([undefined, 'no port is free', undefined]);
    expect(seen).to.deep.equal([1, 2, 3]);
    expect(tableOf(runs))
      .to.include('b: FAILED: no port is free')
      .and.to.match(/c count +7$/m);
  });

  it('what a bench prints among other lines is its figures, by their names or their cases', () => {
    const output = 'warming up\n{"a":{"x":1},"b":2}\n{"case":"large","y":3}\n';
    expect(resultsIn(output)).to.deep.equal({ a: { x: 1 }, b: 2, large: { y: 3 } });
    expect(() => resultsIn('{"a":1}\n{"a":2}')).to.throw('two results are named a');
    expect(() => resultsIn('nothing\n')).to.throw('no results');
  });
});

describe('the table of the benches', () => {
  const figures = (requestsPerSecond: number) => ({ requestsPerSecond, p50Ms: 1.25, p99Ms: 3 });
  const comparison = {
    ...{ connections: 64, exchange: figures(2000), bare: figures(5000), ratio: 0.4, ratios: [0.38, 0.4, 0.45] },
    ...{ p50AboveBareMs: 0, p99AboveBareMs: 0 },
    cpuMicrosPerRequest: { exchange: { api: 200, redis: 60, generator: 90 }, bare: { bare: 120, generator: 80 } },
  };

  it('has a comparison as throughput, latency and cost, without what the generator costs', () => {
    const run: BenchRun = { bench: 'iocOrders', results: { ioc64: comparison }, machine: quiet };
    const lines = tableOf([run]).split('\n');
    const line = (part: string) =>
      lines
        .find((one) => one.includes(part))
        ?.trim()
        .split(/ {2,}/);
    expect(line('requests a second')).to.deep.equal(['ioc64 requests a second', '2,000', '5,000', '40 % (38 % to 45 %)']);
    expect(line('CPU of a request')).to.deep.equal(['ioc64 CPU of a request, µs', '260', '120']);
    expect(lines.join('')).to.not.include('generator');
  });

  it('has any other figures one in a row, beside those of the build before, and marks those not to be trusted', () => {
    const machine = { ...quiet, doubts: ['others used 1 cores'] };
    const results = { takeover: { accounts: 1000, times: { p50: 12.345 } } };
    const table = tableOf([{ bench: 'takeover', results, before: { takeover: { times: { p50: 15 } } }, machine }]);
    expect(table).to.include('NOT TO BE TRUSTED: others used 1 cores');
    expect(table)
      .to.match(/! takeover accounts +1,000$/m)
      .and.to.match(/! takeover times p50 +12\.3 +15$/m);
  });

  it('of several turns has the medians, and every round', () => {
    const turns = [1, 3, 2].map((n) => ({ ioc: { ratio: n, ratios: [n], name: 'x' } }));
    expect(merged(turns)).to.deep.equal({ ioc: { ratio: 2, ratios: [1, 3, 2], name: 'x' } });
  });
});
