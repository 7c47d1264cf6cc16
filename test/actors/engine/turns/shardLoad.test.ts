import { expect } from 'chai';
import type { LoadReport } from '../../../../src/actors/core/messages/podStatus.ts';
import { ShardLoad } from '../../../../src/actors/engine/turns/shardLoad.ts';

const SECOND = 1e6;

describe('load of a shard: what it takes of its owner’s thread, and whose it is', () => {
  let nowMicros: number;
  let reports: LoadReport[];
  let seconds: { busySeconds: number; commands: number }[];
  let load: ShardLoad;

  beforeEach(() => {
    nowMicros = 7 * SECOND;
    reports = [];
    seconds = [];
    load = new ShardLoad({
      micros: () => nowMicros,
      onSecond: (second) => seconds.push(second),
      onWindow: (report) => reports.push(report),
    });
  });

  /** A second in which the shard works for the accounts and for nobody in particular. */
  const second = (ofAccounts: Readonly<Record<string, number>>, others = 0): void => {
    const began = nowMicros;
    load.turn(() => {
      for (const [account, micros] of Object.entries(ofAccounts)) load.charge(account, micros);
      nowMicros += Object.values(ofAccounts).reduce((sum, micros) => sum + micros, others);
    });
    load.onCommitted(Object.keys(ofAccounts).length);
    nowMicros = began + SECOND;
    load.sweep();
  };

  const firstWindow = (): void => {
    for (let i = 0; i < 2; i++) second({ a: 900_000 });
    reports = [];
  };

  it('a new owner reports after two seconds, and then every ten', () => {
    for (let i = 0; i < 23; i++) second({ a: 1000 });
    expect(reports.map((report) => report.seconds)).to.deep.equal([2, 10, 10]);
  });

  it('reports every ten seconds: parts of the thread, commands, and the three accounts with most of it', () => {
    firstWindow();
    for (let i = 0; i < 10; i++) second({ a: 20_000, b: 300_000, c: 1000, d: 50_000 }, 29_000);
    expect(reports).to.deep.equal([
      {
        ...{ seconds: 10, busy: 0.4, commands: 4 },
        top: [
          { account: 'b', busy: 0.3, times: 1 },
          { account: 'd', busy: 0.05, times: 1 },
          { account: 'a', busy: 0.02, times: 1 },
        ],
      },
    ]);
  });

  it('begins anew after each report', () => {
    firstWindow();
    for (let i = 0; i < 10; i++) second({ a: 500_000 });
    for (let i = 0; i < 10; i++) second({ b: 100_000 });
    expect(reports.map(({ busy, top }) => [busy, top.map(({ account }) => account)])).to.deep.equal([
      [0.5, ['a']],
      [0.1, ['b']],
    ]);
  });

  it('tells the metrics each second what came to it, also across a report', () => {
    for (let i = 0; i < 12; i++) second({ a: 10_000 * (i + 1) });
    expect(seconds.map(({ busySeconds }) => Number(busySeconds.toFixed(3)))).to.deep.equal(
      Array.from({ length: 12 }, (_, i) => Number((0.01 * (i + 1)).toFixed(3))),
    );
    expect(seconds.every(({ commands }) => commands === 1)).to.equal(true);
  });

  it('a turn that throws has taken its time, too', () => {
    const fails = (): void =>
      load.turn(() => {
        nowMicros += 5000;
        throw new Error('no');
      });
    expect(fails).to.throw('no');
    load.sweep();
    expect(seconds).to.deep.equal([{ busySeconds: 0.005, commands: 0 }]);
  });
});
