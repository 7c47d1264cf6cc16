import { expect } from 'chai';
import { type AccountEntry, writeEntry } from '../../../../src/actors/core/messages/entry.ts';
import { readReplies, writeReply } from '../../../../src/actors/core/messages/envelope.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import { NO_ROWS, type RowsWanted } from '../../../../src/actors/core/messages/historyRows.ts';
import type { OrderView } from '../../../../src/actors/core/messages/order.ts';
import type { QueryAnswer } from '../../../../src/actors/core/messages/queryAnswer.ts';
import { withTail } from '../../../../src/actors/engine/decisions/answers.ts';
import { AccountTail } from '../../../../src/actors/engine/memory/accountTail.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';

const entry = (seq: number): AccountEntry => ({ accountId: '0xaa', seq, timeMs: seq, events: [], firstRows: {} });

function tailOf(entries: readonly AccountEntry[]): AccountTail {
  const tail = new AccountTail();
  for (const each of entries) tail.add(each.seq * 2, each, writeEntry(each, NEWEST_FORMAT));
  return tail;
}

/** The text that the API node reads, and the length of its message. */
function sent<Kind extends 'history' | 'entries'>(
  answer: Extract<QueryAnswer, { kind: Kind }>,
  query: Parameters<typeof withTail>[1],
  tail: AccountTail,
): { answer: Extract<QueryAnswer, { kind: Kind }>; chars: number; parsed: number } {
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = (...args) => {
    parsed += 1;
    return parse(...args);
  };
  const reply = withTail({ type: 'answer', answer, seq: 7 }, query, tail, NEWEST_FORMAT);
  const text = writeReply({ incarnation: 'i', counter: 1 }, reply, NEWEST_FORMAT);
  JSON.parse = parse;
  const read = readReplies(`[${text}]`)[0]?.[2];
  if (!read || !('outcome' in read) || read.outcome.type !== 'answer') throw new Error('another reply');
  return { answer: read.outcome.answer as Extract<QueryAnswer, { kind: Kind }>, chars: text.length, parsed };
}

describe('withTail: entries of the journal, by number', () => {
  const empty = { kind: 'entries', entries: [], firstSeq: 0, lastGoneSeqs: NO_ROWS } as const;
  const ask = (afterSeq: number, seqs: readonly number[]) =>
    sent<'entries'>(empty, { kind: 'entries', afterSeq }, tailOf(seqs.map(entry))).answer.entries.map(({ seq }) => seq);
  const cases = [
    { name: 'all', afterSeq: 0, tail: [1, 2, 3], want: [1, 2, 3] },
    { name: 'those after one', afterSeq: 2, tail: [1, 2, 3], want: [3] },
    { name: 'none after the newest', afterSeq: 3, tail: [1, 2, 3], want: [] },
    { name: 'what is cut off is elsewhere', afterSeq: 1, tail: [5, 6], want: [5, 6] },
    { name: 'after a loss numbers may be missing', afterSeq: 6, tail: [5, 6, 9, 10], want: [9, 10] },
    { name: 'of an empty tail: all is elsewhere', afterSeq: 2, tail: [], want: [] },
  ];
  for (const { name, afterSeq, tail, want } of cases) {
    it(name, () => expect(ask(afterSeq, tail)).to.deep.equal(want));
  }

  it('many come in parts, the oldest first', () => {
    const seqs = Array.from({ length: 1200 }, (_, i) => i + 1);
    const first = ask(100, seqs);
    expect(first[0]).to.equal(101);
    expect(first).to.have.length.below(1100);
    expect(ask(first.at(-1) as number, seqs)[0]).to.equal((first.at(-1) as number) + 1);
  });
});

describe('withTail: 80 batches of 1,000 orders that MongoDB has not got yet', () => {
  const tail = tailOf(Array.from({ length: 80 }, (_, batch) => batchOf(batch)));
  const answer = { kind: 'history', rows: [], total: 80_000, first: 0, held: { from: 80_000 } } as const;
  const ask = (want: RowsWanted) => sent<'history'>(answer, { kind: 'history', rows: 'orders', want }, tail);
  const numbers = ({ answer: { rows } }: ReturnType<typeof ask>) => rows.map(({ number }) => number);

  it('a question gets the rows that it wants, and no entry is read that has none of them', () => {
    const asked = ask({ limit: 3, newestFirst: true });
    expect(numbers(asked)).to.deep.equal([79_997, 79_998, 79_999]);
    expect(asked.parsed).to.equal(1);
    expect(ask({ limit: 3, newestFirst: true }).parsed, 'an entry is read once').to.equal(0);
    expect(asked.answer.held).to.deep.equal({ from: 0, fromMs: 0 });
    expect(numbers(ask({ from: 500, before: 700, limit: 2 }))).to.deep.equal([500, 501]);
    expect(numbers(ask({ startMs: 7, endMs: 7, limit: 1, newestFirst: true }))).to.deep.equal([7999]);
    expect(numbers(ask({ limit: 0 }))).to.deep.equal([]);
  });

  it('no reply is longer than a megabyte or so; the rest is asked for from the last row on', () => {
    const found: number[] = [];
    for (let from = 40_000; from < 50_000; from = (found.at(-1) as number) + 1) {
      const part = ask({ from, limit: 50_000 - from });
      expect(part.chars).to.be.below(1_100_000);
      found.push(...numbers(part));
      expect(part.answer.held?.isCut === true).to.equal(found.at(-1) !== 49_999);
    }
    expect(found).to.deep.equal(Array.from({ length: 10_000 }, (_, i) => 40_000 + i));
  });

  it('an order that is not in it is found missing without a look at its rows', () => {
    const found = (oid: number) => {
      const reply = withTail(
        { type: 'answer', answer: { kind: 'orderStatus', found: 'notHere', firstRow: 0 }, seq: 7 },
        { kind: 'orderStatus', target: { oid } },
        tail,
        NEWEST_FORMAT,
      );
      return 'outcome' in reply && reply.outcome.type === 'answer' ? reply.outcome.answer : undefined;
    };
    expect(found(999_999)).to.include({ found: 'notHere' });
    expect(found(41_000)).to.have.nested.property('found.order.oid', 41_000);
  });
});

function batchOf(batch: number): AccountEntry {
  const events = Array.from({ length: 1000 }, (_, i): AccountEvent => {
    const oid = batch * 1000 + i;
    const order: OrderView = {
      ...{ oid, cloid: `0x${String(oid).padStart(32, '0')}`, asset: 0, coin: 'BTC', side: 'buy' as const, limitPrice: '65000' },
      ...{ size: '1', originalSize: '1', filledSize: '0', reduceOnly: false, timeInForce: 'gtc' as const, placedAtMs: batch },
    };
    return { type: 'orderRested', order, resting: { ahead: '0', acceptedFeedTimeMs: 0, acceptedTick: '0-0' } };
  });
  return { accountId: '0xaa', seq: batch + 1, timeMs: batch, events, firstRows: { orders: batch * 1000 } };
}
