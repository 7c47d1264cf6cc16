import { expect } from 'chai';
import fc from 'fast-check';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import { writeEntry } from '../../../../src/actors/core/messages/entry.ts';
import { HISTORY_KINDS, type NumberedRow, type RowsWanted } from '../../../../src/actors/core/messages/historyRows.ts';
import { AccountTail } from '../../../../src/actors/engine/memory/accountTail.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { anyPast, anyWant } from '../../../support/anyPast.ts';

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom(...HISTORY_KINDS), want: anyWant(90), charsMax: fc.nat(4000) }) },
    fc.record({ trim: fc.nat(40) }),
  ),
  { maxLength: 20 },
);

describe('AccountTail: rows by kind, number and time, against all rows of all entries', () => {
  it('gives the wanted rows, as many as fit, and forgets what is trimmed', () => {
    fc.assert(
      fc.property(anyPast(40), fc.nat(10), steps, (entries, firstOf, asked) => {
        const tail = new AccountTail();
        for (const entry of entries) tail.add(entry.seq, entry, writeEntry(entry, NEWEST_FORMAT));
        let kept = entries;
        for (const step of asked) {
          if ('trim' in step) {
            tail.trim(step.trim);
            kept = kept.filter(({ seq }) => seq > step.trim);
            expect(tail.length).to.equal(kept.length);
            continue;
          }
          const { kind, want, charsMax } = step;
          const all = kept.flatMap(rowsOf).filter((row) => row.kind === kind && row.number >= firstOf);
          const { texts, from, fromMs, isCut } = tail.rows(kind, want, { first: firstOf, charsMax });
          const found = texts.map((text) => JSON.parse(text) as NumberedRow);
          const wanted = JSON.parse(JSON.stringify(modelOf(all, want))) as NumberedRow[];
          expect(isCut).to.equal(found.length < wanted.length);
          expect(found).to.deep.equal(
            want.newestFirst ? wanted.slice(wanted.length - found.length) : wanted.slice(0, found.length),
          );
          if (wanted.length > 0) expect(found).not.to.have.length(0);
          expect(texts.length <= 1 || texts.join('').length <= charsMax).to.equal(true);
          expect([from, fromMs]).to.deep.equal([all[0]?.number, all[0]?.row.timeMs]);
        }
        tail.trim(Number.POSITIVE_INFINITY);
        expect([tail.length, tail.bytes]).to.deep.equal([0, 0]);
      }),
      { numRuns: 300 },
    );
  });

  it('the newest row of an order is found by both of its ids, as long as its entry is there', () => {
    fc.assert(
      fc.property(anyPast(30), fc.nat(30), fc.nat(20), (entries, trimmed, firstRow) => {
        const tail = new AccountTail();
        for (const entry of entries) tail.add(entry.seq, entry, writeEntry(entry, NEWEST_FORMAT));
        tail.trim(trimmed);
        const rows = entries.filter(({ seq }) => seq > trimmed).flatMap(rowsOf);
        for (let oid = 0; oid < 12; oid++) {
          const wanted = rows.findLast((row) => row.kind === 'orders' && row.row.order.oid === oid);
          const row = wanted?.kind === 'orders' && wanted.number >= firstRow ? wanted.row : undefined;
          expect(tail.orderRow({ oid }, firstRow)).to.deep.equal(row);
          expect(tail.orderRow({ cloid: `0x${oid}` }, firstRow)).to.deep.equal(row);
        }
      }),
    );
  });
});

/** The wanted rows, oldest first. */
function modelOf(rows: readonly NumberedRow[], want: RowsWanted): NumberedRow[] {
  const { from = 0, before = Infinity, startMs = 0, endMs = Infinity, maxTid = Infinity, limit, newestFirst } = want;
  const isWanted = ({ number, row }: NumberedRow): boolean =>
    number >= from && number < before && row.timeMs >= startMs && row.timeMs <= endMs && ('tid' in row ? row.tid : 0) <= maxTid;
  const wanted = rows.filter(isWanted);
  return newestFirst ? wanted.slice(Math.max(0, wanted.length - limit)) : wanted.slice(0, limit);
}
