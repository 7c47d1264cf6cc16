import { expect } from 'chai';
import fc from 'fast-check';
import { mergeRows, type RowKind } from '../../../src/dashboard/domain/account/rows.ts';
import { afterClose, heardUpTo, isRepeated, type MessagePlace, replacesState } from '../../../src/dashboard/domain/stream.ts';

describe('the dashboard’s channels: nothing is missed and nothing is shown twice', () => {
  /** The messages of a channel: each entry has one to three, all but the last with `more`. */
  const channel = fc
    .array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 })
    .map((sizes) =>
      sizes.flatMap((size, i) => Array.from({ length: size }, (_, n) => ({ seq: i + 1, n, more: n < size - 1 || undefined }))),
    );

  it('after a break anywhere the channel goes on with the entry that had not come whole', () => {
    fc.assert(
      fc.property(channel, fc.nat(), (messages, at) => {
        const broken = at % (messages.length + 1);
        const heard = messages.slice(0, broken).reduce<number | undefined>((so, message) => heardUpTo(so, message), 0);
        const resumed = messages.filter(({ seq }) => seq > (heard ?? 0));
        const shown = [...messages.slice(0, broken), ...resumed.filter((message) => !isRepeated(heard, message))];
        const keys = new Set(shown.map(({ seq, n }) => `${seq}.${n}`));
        expect(keys.size).to.equal(messages.length);
      }),
    );
  });

  it('a message of an entry that was heard whole is one that came before', () => {
    const heardOf = (...places: MessagePlace[]) =>
      places.reduce<number | undefined>((so, place) => heardUpTo(so, place), undefined);
    expect(heardOf({ seq: 7 })).to.equal(7);
    expect(heardOf({ seq: 7 }, { seq: 8, more: true })).to.equal(7);
    expect(isRepeated(7, { seq: 7 })).to.equal(true);
    expect(isRepeated(7, { seq: 8 })).to.equal(false);
    expect(isRepeated(undefined, { seq: 1 })).to.equal(false);
  });

  it('a state is replaced by one of a later entry, or by a later one of the same', () => {
    const shown = { seq: 5, timeMs: 1_000 };
    expect(replacesState(undefined, shown)).to.equal(true);
    expect(replacesState(shown, { seq: 6, timeMs: 0 })).to.equal(true);
    expect(replacesState(shown, { seq: 5, timeMs: 1_000 })).to.equal(true);
    expect(replacesState(shown, { seq: 5, timeMs: 999 })).to.equal(false);
    expect(replacesState(shown, { seq: 4, timeMs: 2_000 })).to.equal(false);
  });

  it('rows that come twice, late or in any order are there once, as the latest entry has them', () => {
    interface Row {
      readonly id: number;
      readonly value: number;
    }
    const kind: RowKind<Row> = { keyOf: ({ id }) => id, timeOf: ({ id }) => id, rowsMax: 3 };
    const placed = fc.array(
      fc.record({ row: fc.record({ id: fc.nat(5), value: fc.nat(9) }), seq: fc.nat(20) }).map(({ row, seq }) => ({
        row: { ...row, value: seq },
        seq,
      })),
    );
    fc.assert(
      fc.property(placed, (rows) => {
        const merged = mergeRows(mergeRows([], rows, kind), [...rows].reverse(), kind);
        const newest = new Map<number, number>();
        for (const { row, seq } of rows) newest.set(row.id, Math.max(seq, newest.get(row.id) ?? 0));
        const ids = [...newest.keys()].sort((a, b) => b - a).slice(0, kind.rowsMax);
        expect(merged.map(({ row }) => row.id)).to.deep.equal(ids);
        for (const { row } of merged) expect(row.value).to.equal(newest.get(row.id));
      }),
    );
  });
});

describe('what the dashboard does when its socket closes', () => {
  const at = (code: number, attempt = 0, random = 1) => afterClose(code, { attempt, random });

  it('goes on after a break, later each time, and never waits longer than 10 s', () => {
    expect(at(1001)).to.deep.equal({ type: 'resume', waitMs: 250 });
    expect(at(1006, 2)).to.deep.equal({ type: 'resume', waitMs: 1_000 });
    expect(at(4010, 99)).to.deep.equal({ type: 'resume', waitMs: 10_000 });
    expect(at(1006, 99, 0)).to.deep.equal({ type: 'resume', waitMs: 5_000 });
  });

  it('asks for a session, waits out a flood, gives up the market, or stays closed, as the code says', () => {
    expect(at(4001)).to.deep.equal({ type: 'refreshSession' });
    expect(at(4003)).to.deep.equal({ type: 'expired' });
    expect(at(4008)).to.deep.equal({ type: 'resumeWithoutMarket', waitMs: 250 });
    expect(at(4029)).to.deep.equal({ type: 'resume', waitMs: 60_000 });
  });
});
