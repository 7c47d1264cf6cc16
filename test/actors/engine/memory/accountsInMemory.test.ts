import { expect } from 'chai';
import fc from 'fast-check';
import { DueTimes } from '../../../../src/actors/engine/memory/accountsInMemory.ts';

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

describe('dueTimes: against a list that is sorted anew each time', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ account: fc.nat(12), dueMs: fc.option(fc.nat(20), { nil: undefined, freq: 4 }) }),
      fc.record({ takeMs: fc.nat(25) }),
    ),
    { maxLength: 120 },
  );

  it('next and due accounts are the same, and it is as large as there are accounts with a time', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const due = new DueTimes();
        const model = new Map<string, number>();
        for (const step of taken) {
          if ('account' in step) {
            due.set(String(step.account), step.dueMs);
            if (step.dueMs === undefined) model.delete(String(step.account));
            else model.set(String(step.account), step.dueMs);
          } else {
            const earliest = Math.min(...model.values());
            const accountId = due.takeDue(step.takeMs);
            expect(accountId === undefined).to.equal(earliest > step.takeMs);
            if (accountId !== undefined) expect(model.get(accountId)).to.equal(earliest);
            if (accountId !== undefined) model.delete(accountId);
          }
          expect(due.nextMs).to.equal(model.size === 0 ? undefined : Math.min(...model.values()));
          expect(due.size).to.equal(model.size);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('288,000 changes of a hundred accounts leave a hundred entries', () => {
    const due = new DueTimes();
    for (let i = 0; i < 288_000; i++) due.set(String(i % 100), 1_000_000 + i);
    expect(due.size).to.equal(100);
  });
});
