import { expect } from 'chai';
import { JournalTrimmer } from '../../../../src/actors/engine/journal/journalTrimmer.ts';

const LAG_MS = 1000;

describe('journalTrimmer: the journal is cut behind the history, with its lag', () => {
  let nowMs: number;
  let isForgetful: boolean;
  /** The calls in their order. */
  let done: string[];
  let trimmer: JournalTrimmer;
  beforeEach(() => {
    nowMs = 50_000;
    isForgetful = false;
    done = [];
    trimmer = new JournalTrimmer(
      {
        journal: {
          trim: (to) => {
            done.push(`trim ${to}`);
            return Promise.resolve();
          },
        },
        lagMs: LAG_MS,
        realNow: () => nowMs,
        confirm: () => {
          done.push('confirm');
          return isForgetful ? Promise.reject(new Error('forgotten')) : Promise.resolve();
        },
        onTrimmed: (commit) => done.push(`without ${commit}`),
      },
      10,
    );
  });

  it('what MongoDB has is cut when it has had it for the lag, after it was asked again', async () => {
    await trimmer.trim(30);
    nowMs += LAG_MS - 1;
    await trimmer.trim(40);
    expect(done).to.deep.equal([]);
    nowMs += 1;
    await trimmer.trim(40);
    expect(done).to.deep.equal(['confirm', 'trim 30', 'without 30']);
    nowMs += LAG_MS - 1;
    await trimmer.trim(40);
    expect(done.slice(3)).to.deep.equal(['confirm', 'trim 40', 'without 40']);
  });

  it('a round that has asked already, late enough, does not ask again; what it asked too early for is asked for', async () => {
    await trimmer.trim(30);
    nowMs += 10;
    await trimmer.trim(40);
    nowMs += LAG_MS;
    await trimmer.trim(50, nowMs - 1);
    expect(done).to.deep.equal(['trim 30', 'without 30']);
    await trimmer.trim(50, nowMs - 20);
    expect(done.slice(2)).to.deep.equal(['confirm', 'trim 40', 'without 40']);
    nowMs += LAG_MS;
    // A question of the same millisecond may have come before the commit.
    await trimmer.trim(50, nowMs);
    expect(done.slice(5)).to.deep.equal(['confirm', 'trim 50', 'without 50']);
  });

  it('nothing is cut when MongoDB has forgotten it', async () => {
    await trimmer.trim(30);
    nowMs += LAG_MS;
    isForgetful = true;
    const error = await trimmer.trim(30).catch((thrown: Error) => thrown.message);
    expect(error).to.equal('forgotten');
    expect(done).to.deep.equal(['confirm']);
  });

  it('a long journal is cut in pieces of a thousand commits', async () => {
    await trimmer.trim(2500);
    nowMs += LAG_MS;
    await trimmer.trim(2500);
    expect(done.filter((step) => step.startsWith('trim'))).to.deep.equal(['trim 1010', 'trim 2010', 'trim 2500']);
  });

  it('what is cut already, or covered no further than before, is not cut again', async () => {
    await trimmer.trim(10);
    await trimmer.trim(5);
    nowMs += LAG_MS;
    await trimmer.trim(10);
    expect(done).to.deep.equal([]);
  });
});
