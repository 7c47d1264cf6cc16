import { expect } from 'chai';
import { SnapshotSchedule } from '../../../../src/actors/engine/journal/snapshots.ts';

describe('SnapshotSchedule: no entry is cut from the journal before a stored snapshot covers it', () => {
  const snapshot = (accountId: string, commit: number, text = 'text') => ({ accountId, seq: commit, commit, text });

  it('an account is due at its first entry and needed until its snapshot is stored', () => {
    const schedule = new SnapshotSchedule(1000);
    expect(schedule.firstNeeded).to.equal(undefined);
    schedule.onEntry('a', 5);
    schedule.onEntry('a', 7);
    expect(schedule.due(0, 10)).to.deep.equal(['a']);
    schedule.hold(snapshot('a', 7), 0);
    expect(schedule.due(0, 10)).to.deep.equal([]);
    expect(schedule.ready(6)).to.deep.equal([]);
    expect(schedule.ready(7)).to.deep.equal([snapshot('a', 7)]);
    expect(schedule.firstNeeded).to.equal(5);
    schedule.onStored(snapshot('a', 7));
    expect(schedule.firstNeeded).to.equal(undefined);
  });

  it('entries after the snapshot stay needed, whether they were seen before or after it was taken', () => {
    const schedule = new SnapshotSchedule(1000);
    schedule.onEntry('before', 5);
    schedule.onEntry('before', 9);
    schedule.hold(snapshot('before', 6), 0);
    schedule.onEntry('after', 5);
    schedule.hold(snapshot('after', 10), 0);
    schedule.onEntry('after', 10);
    schedule.onEntry('after', 12);
    schedule.onEntry('after', 13);
    schedule.onStored(snapshot('before', 6));
    expect(schedule.firstNeeded).to.equal(5);
    schedule.onStored(snapshot('after', 10));
    expect(schedule.firstNeeded).to.equal(7);
    schedule.hold(snapshot('before', 9), 2000);
    schedule.onStored(snapshot('before', 9));
    expect(schedule.firstNeeded).to.equal(12);
  });

  it('an account is taken no more often than the interval, and the others get their turn first', () => {
    const schedule = new SnapshotSchedule(1000);
    schedule.onEntry('a', 1);
    schedule.onEntry('b', 1);
    schedule.hold(snapshot('a', 1), 500);
    schedule.onEntry('a', 2);
    schedule.onStored(snapshot('a', 1));
    expect(schedule.due(1499, 10)).to.deep.equal(['b']);
    expect(schedule.due(1500, 10)).to.deep.equal(['b', 'a']);
    expect(schedule.due(1500, 1)).to.deep.equal(['b']);
  });

  it('the held text is bounded, and what is stored makes room', () => {
    const schedule = new SnapshotSchedule(0);
    const large = snapshot('a', 1, 'x'.repeat(8 * 1024 * 1024));
    schedule.onEntry('a', 1);
    schedule.onEntry('b', 1);
    schedule.hold(large, 0);
    expect(schedule.due(0, 10)).to.deep.equal([]);
    schedule.onStored(large);
    expect(schedule.due(0, 10)).to.deep.equal(['b']);
  });

  it('a snapshot older than what is needed is of no use', () => {
    const schedule = new SnapshotSchedule(0);
    schedule.onEntry('a', 5);
    schedule.hold(snapshot('a', 4), 0);
    expect(schedule.ready(10)).to.deep.equal([]);
    expect(schedule.due(0, 10)).to.deep.equal(['a']);
  });
});
