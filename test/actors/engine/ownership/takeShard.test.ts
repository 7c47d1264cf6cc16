import { expect } from 'chai';
import { pino } from 'pino';
import { RefusedShards, TakeSchedule } from '../../../../src/actors/engine/ownership/takeShard.ts';
import { NEWEST_FORMAT, NewerFormat } from '../../../../src/shared/domain/formats.ts';

const RETRY_MS = 1000;
const newer = (form: string) => new NewerFormat(form, NEWEST_FORMAT + 1);

describe('refusals: a shard that a newer build has to read is left alone', () => {
  let nowMs: number;
  let refusals: RefusedShards;
  let lines: string[];
  beforeEach(() => {
    nowMs = 5000;
    lines = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    refusals = new RefusedShards({ log, retryMs: RETRY_MS, now: () => nowMs });
  });

  it('it is announced, and not tried again before its time', () => {
    expect(refusals.mayTry(3)).to.equal(true);
    refusals.note(3, newer('snapshot'));
    expect(refusals.list).to.deep.equal([{ shard: 3, form: 'snapshot', version: NEWEST_FORMAT + 1 }]);
    nowMs += RETRY_MS - 1;
    expect(refusals.mayTry(3)).to.equal(false);
    expect(refusals.mayTry(4)).to.equal(true);
    nowMs += 1;
    expect(refusals.mayTry(3)).to.equal(true);
    expect(refusals.list, 'still announced').to.have.length(1);
  });

  it('is worth a line in the log once, until something else is met', () => {
    for (const form of ['snapshot', 'snapshot', 'journal entry']) refusals.note(3, newer(form));
    expect(lines.map((line) => JSON.parse(line).form)).to.deep.equal(['snapshot', 'journal entry']);
  });

  it('is forgotten when the shard has been read whole', () => {
    refusals.note(3, newer('snapshot'));
    refusals.forget(3);
    expect(refusals.size).to.equal(0);
    expect(refusals.mayTry(3)).to.equal(true);
    refusals.note(3, newer('snapshot'));
    expect(lines, 'said anew').to.have.length(2);
  });
});

const TTL_MS = 3000;

describe('turns: when a pod may take a free shard', () => {
  let nowMs: number;
  let turns: TakeSchedule;
  beforeEach(() => {
    nowMs = 100_000;
    turns = new TakeSchedule({ ttlMs: TTL_MS, now: () => nowMs });
  });

  it('the first in the ranking takes it at once, each other half a lease life later, who is not ranked never', () => {
    expect([0, 1, 2, -1].map((rank) => turns.hasCome(7, rank))).to.deep.equal([true, false, false, false]);
    nowMs += TTL_MS / 2 - 1;
    expect(turns.hasCome(7, 1)).to.equal(false);
    nowMs += 1;
    expect([0, 1, 2, -1].map((rank) => turns.hasCome(7, rank))).to.deep.equal([true, true, false, false]);
    nowMs += TTL_MS / 2;
    expect(turns.hasCome(7, 2)).to.equal(true);
  });

  it('the wait begins anew when the shard had an owner in between', () => {
    turns.hasCome(7, 1);
    nowMs += TTL_MS;
    turns.onOwned(7);
    expect(turns.hasCome(7, 1)).to.equal(false);
  });

  it('after an ownership that ended by itself the shard is left alone, twice as long each time, at most 5 s', () => {
    const pauses: number[] = [];
    for (let setback = 0; setback < 9; setback++) {
      turns.onTaken(7);
      const pauseMs = turns.onEnded(7);
      pauses.push(pauseMs);
      nowMs += pauseMs - 1;
      expect(turns.hasCome(7, 0)).to.equal(false);
      expect(turns.hasCome(8, 0)).to.equal(true);
      nowMs += 1;
      expect(turns.hasCome(7, 0)).to.equal(true);
    }
    expect(pauses).to.deep.equal([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('an ownership of more than 10 s was a good one: the next pause is the shortest again', () => {
    for (let setback = 0; setback < 3; setback++) {
      turns.onTaken(7);
      turns.onEnded(7);
    }
    turns.onTaken(7);
    nowMs += 10_000;
    expect(turns.onEnded(7)).to.equal(400);
    turns.onTaken(7);
    nowMs += 10_001;
    expect(turns.onEnded(7)).to.equal(50);
  });
});
