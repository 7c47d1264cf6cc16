import { expect } from 'chai';
import fc from 'fast-check';
import { DueTimes } from '../../../src/actors/commit/dueTimes.ts';

describe('dueTimes: the earliest first, the latest word of an account counts', () => {
  it('nothing is due before its time', () => {
    const due = new DueTimes();
    due.set('a', 10);
    expect(due.takeDue(9)).to.equal(undefined);
    expect(due.takeDue(10)).to.equal('a');
    expect(due.takeDue(11)).to.equal(undefined);
  });

  it('comes out as a sorted list of the last times set', () => {
    const times = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.option(fc.integer({ min: 0, max: 99 }))));
    fc.assert(
      fc.property(times, (settings) => {
        const due = new DueTimes();
        const want = new Map<string, number>();
        for (const [account, dueMs] of settings) {
          due.set(`${account}`, dueMs ?? undefined);
          if (dueMs === null) want.delete(`${account}`);
          else want.set(`${account}`, dueMs);
        }
        const taken: number[] = [];
        expect(due.nextMs).to.equal(want.size === 0 ? undefined : Math.min(...want.values()));
        for (let id = due.takeDue(100); id !== undefined; id = due.takeDue(100)) taken.push(want.get(id) as number);
        expect(taken).to.deep.equal([...want.values()].sort((a, b) => a - b));
      }),
    );
  });
});
