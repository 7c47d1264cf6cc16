import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { PodTurns, WorkSchedule } from '../../../../src/actors/engine/turns/workSchedule.ts';
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
    await nextTurn();
    expect(works).to.equal(1);
    schedule.plan();
    await nextTurn();
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
