import { expect } from 'chai';
import { pino } from 'pino';
import { RefusedShards } from '../../../../src/actors/engine/ownership/takeShard.ts';
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
