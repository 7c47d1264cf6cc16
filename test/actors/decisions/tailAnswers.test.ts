import { expect } from 'chai';
import { withTail } from '../../../src/actors/decisions/tailAnswers.ts';
import { noRows } from '../../../src/actors/domain/messages/historyRows.ts';

const entry = (seq: number) => ({ accountId: '0xaa', seq, timeMs: seq, events: [], firstRows: {} });
const tailOf = (...seqs: number[]) => seqs.map((seq) => ({ commit: seq * 2, text: JSON.stringify(entry(seq)) }));

describe('withTail: entries of the journal, by number', () => {
  const ask = (afterSeq: number, seqs: number[], seq = seqs.at(-1) ?? 0) => {
    const answer = { kind: 'entries', entries: [], firstSeq: 0, lastGoneSeqs: noRows() } as const;
    const outcome = withTail({ type: 'answer', answer, seq }, { kind: 'entries', afterSeq }, tailOf(...seqs));
    if (outcome.type !== 'answer' || outcome.answer.kind !== 'entries') throw new Error('another answer');
    return outcome.answer.entries.map((one) => one.seq);
  };
  const cases = [
    { name: 'all', afterSeq: 0, tail: [1, 2, 3], want: [1, 2, 3] },
    { name: 'those after one', afterSeq: 2, tail: [1, 2, 3], want: [3] },
    { name: 'none after the newest', afterSeq: 3, tail: [1, 2, 3], want: [] },
    { name: 'what is cut off is elsewhere', afterSeq: 1, tail: [5, 6], want: [5, 6] },
    { name: 'after a loss numbers may be missing', afterSeq: 6, tail: [5, 6, 9, 10], want: [9, 10] },
  ];
  for (const { name, afterSeq, tail, want } of cases) {
    it(name, () => expect(ask(afterSeq, tail)).to.deep.equal(want));
  }

  it('of an empty tail: all is elsewhere', () => expect(ask(2, [], 7)).to.deep.equal([]));

  it('many come in parts, the oldest first', () => {
    const seqs = Array.from({ length: 1200 }, (_, i) => i + 1);
    const first = ask(100, seqs);
    expect(first[0]).to.equal(101);
    expect(first).to.have.length.below(1100);
    expect(ask(first.at(-1) as number, seqs)[0]).to.equal((first.at(-1) as number) + 1);
  });

  it('rows of another question are not touched', () => {
    const answer = { kind: 'history', rows: [], total: 3, first: 0 } as const;
    const outcome = withTail({ type: 'answer', answer, seq: 4 }, { kind: 'history', rows: 'fills' }, tailOf(4));
    expect(outcome).to.deep.equal({ type: 'answer', answer, seq: 4 });
  });
});
