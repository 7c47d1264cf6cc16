import { expect } from 'chai';
import fc from 'fast-check';
import { FairTurns } from '../../../../src/actors/engine/turns/fairTurns.ts';
import { leastCpuMs } from '../../../support/leastCpu.ts';

/** A shard whose commands cost what a test says, in microseconds: the clock stands still but for them. */
class Shard {
  nowMicros = 0;
  readonly ran: string[] = [];
  readonly used = new Map<string, number>();
  readonly turns = new FairTurns<number>(() => this.nowMicros);

  /** @param costs of the account's commands, oldest first */
  wait(accountId: string, ...costs: number[]): this {
    this.turns.add(accountId, costs);
    return this;
  }

  run(commands = 1): this {
    for (let n = 0; n < commands && !this.turns.isEmpty; n++) {
      this.turns.runNext((accountId, cost) => {
        this.nowMicros += cost;
        this.ran.push(accountId);
        this.used.set(accountId, (this.used.get(accountId) ?? 0) + cost);
      });
    }
    return this;
  }
}

const times = (count: number, cost: number): number[] => Array.from({ length: count }, () => cost);

describe('fairTurns: an account waits for its own work', () => {
  it('one that comes with one command waits for the command that is running and no other, time after time', () => {
    const shard = new Shard().wait('heavy', ...times(50, 60_000)).run();
    for (let n = 0; n < 20; n++) {
      shard.wait('quiet', 100).run(2);
      expect(shard.ran.slice(-2)).to.deep.equal(['quiet', 'heavy']);
    }
  });

  it('however many accounts are heavy, once each has had a turn', () => {
    const shard = new Shard();
    for (let n = 0; n < 20; n++) shard.wait(`heavy ${n}`, ...times(10, 60_000));
    shard.run(20).wait('quiet', 100).run();
    expect(shard.ran.at(-1)).to.equal('quiet');
  });

  it('one that waits is not passed over for ever, whatever comes', () => {
    const shard = new Shard().wait('heavy', 60_000, 60_000).run();
    for (let n = 0; n < 1000 && shard.ran.filter((id) => id === 'heavy').length < 2; n++) shard.wait(`new ${n}`, 1000).run();
    expect(shard.ran.filter((id) => id === 'heavy')).to.have.length(2);
    expect(shard.nowMicros).to.be.at.most(500_000);
  });

  it('the commands of one account keep their order, and all are run', () => {
    const order: number[] = [];
    const turns = new FairTurns<number>(() => 0);
    turns.add('a', [1, 2]);
    turns.add('a', [3]);
    while (!turns.isEmpty) turns.runNext((_, command) => order.push(command));
    expect(order).to.deep.equal([1, 2, 3]);
  });

  it('time is shared, not commands: a heavy and a light account with much to do get the same', () => {
    const shard = new Shard().wait('heavy', ...times(100, 50_000)).wait('light', ...times(10_000, 500));
    shard.run(5000);
    const [heavy, light] = [shard.used.get('heavy') ?? 0, shard.used.get('light') ?? 0];
    expect(Math.abs(heavy - light)).to.be.at.most(100_000);
  });

  it('what an account owes it owes when it comes again, until as much time has passed', () => {
    const again = new Shard().wait('other', ...times(10, 1000)).wait('heavy', 60_000);
    again.run(2).wait('heavy', 60_000).run(5);
    expect(again.ran.slice(2)).to.deep.equal(['other', 'other', 'other', 'other', 'other']);
    const late = new Shard()
      .wait('other', ...times(3, 1000))
      .wait('heavy', 60_000)
      .run(2);
    late.nowMicros += 60_000;
    late.wait('heavy', 10).run(2);
    expect(late.ran.slice(2)).to.include('heavy');
  });

  it('a turn costs little more when a hundred times as many accounts wait', () => {
    const cpuOf = (accounts: number): number => {
      const shard = new Shard();
      for (let n = 0; n < accounts; n++) shard.wait(`${n}`, ...times(3, 300 + (n % 7)));
      return leastCpuMs(() => {
        for (let n = 0; n < 6000; n++) {
          shard.run();
          if (shard.turns.isEmpty) for (let m = 0; m < accounts; m++) shard.wait(`${m}`, ...times(3, 300));
        }
      });
    };
    expect(cpuOf(10_000) / cpuOf(100)).to.be.below(20);
  });

  it('nothing is run of an account that was dropped, and its place is free', () => {
    const shard = new Shard().wait('a', 1, 1).wait('b', 1);
    shard.turns.drop('a');
    expect([shard.turns.has('a'), shard.turns.has('b')]).to.deep.equal([false, true]);
    shard.run(5);
    expect(shard.ran).to.deep.equal(['b']);
  });

  it('a command that throws is charged and gone', () => {
    const turns = new FairTurns<number>(() => 0);
    turns.add('a', [1]);
    expect(() =>
      turns.runNext(() => {
        throw new Error('broken');
      }),
    ).to.throw('broken');
    expect(turns.isEmpty).to.equal(true);
  });

  it('no account is passed over for ever: over any long time each gets its share while it waits', () => {
    const costs = fc.array(fc.integer({ min: 10, max: 80_000 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(costs, (perAccount) => {
        const shard = new Shard();
        for (const [n, cost] of perAccount.entries()) shard.wait(`${n}`, ...times(3000, cost));
        const largest = Math.max(...perAccount);
        while (shard.nowMicros < 60 * largest && perAccount.every((_, n) => shard.turns.has(`${n}`))) shard.run();
        const used = perAccount.map((_, n) => shard.used.get(`${n}`) ?? 0);
        expect(Math.max(...used) - Math.min(...used)).to.be.at.most(2 * largest);
      }),
    );
  });
});
