import { expect } from 'chai';
import { emptyAccount, hasSeen } from '../../../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { toEntry } from '../../../../src/actors/core/fold/recordEntry.ts';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import type { CommandId } from '../../../../src/actors/core/messages/entry.ts';
import { HISTORY_KINDS } from '../../../../src/actors/core/messages/historyRows.ts';
import { mustStayInMemory } from '../../../../src/actors/core/mustStayInMemory.ts';
import { applyEntry } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { ACCOUNT_ID, book, given, place, trade } from '../../../support/scenario.ts';

const START_MS = 1_700_000_000_000;

describe('evolve: the account is the fold of its entries', () => {
  const busy = () =>
    given(
      place({ size: '3', limitPrice: '100' }),
      place({ side: 'sell', limitPrice: '101', reduceOnly: true }),
      place({ limitPrice: '99' }),
    )
      .given(trade('SOL', ['buy', '102', '0.5']))
      .given(book('SOL', [['99', '2']], [['100', '4']]));

  it('replayed from nothing it gives the same text', () => {
    const { account, entries } = busy();
    const parsed: typeof entries = JSON.parse(JSON.stringify(entries));
    expect(toSnapshot(parsed.reduce(applyEntry, emptyAccount(ACCOUNT_ID)), NEWEST_FORMAT)).to.equal(
      toSnapshot(account, NEWEST_FORMAT),
    );
  });

  it('an entry that does not follow is a fault', () => {
    const { account, entries } = busy();
    const [first] = entries;
    expect(() => first && applyEntry(account, first)).to.throw('does not follow');
  });

  it('rows are numbered without holes and agree with the counts', () => {
    const { account, entries } = busy();
    const rows = entries.flatMap(rowsOf);
    for (const kind of HISTORY_KINDS) {
      const numbers = rows.filter((row) => row.kind === kind).map(({ number }) => number);
      expect(numbers).to.deep.equal(Array.from({ length: account.rowCounts[kind] }, (_, index) => index));
    }
  });

  it('a partly filled order keeps its place and its numbers', () => {
    const [sell] = busy().account.orders.values();
    expect(sell).to.include({ size: '0.5', originalSize: '1', filledSize: '0.5' });
  });

  it('volume is kept by UTC day and liquidity', () => {
    const { totals } = busy().account;
    expect(totals.volumeUsd.toString()).to.equal('350.5');
    expect(totals.dailyVolumes.map(({ day, takerUsd, makerUsd }) => [day, String(takerUsd), String(makerUsd)])).to.deep.equal([
      ['2023-11-14', '300', '50.5'],
    ]);
    expect(totals.requestsUsed).to.equal(3);
  });
});

describe('evolve: command ids', () => {
  const consumed = (command: CommandId, timeMs: number, account = emptyAccount(ACCOUNT_ID)) =>
    applyEntry(account, toEntry(account, { timeMs, command, events: [] }));

  it('a counter at or below the highest of its incarnation was seen', () => {
    const account = consumed({ incarnation: 'a', counter: 5 }, START_MS);
    expect(hasSeen(account, { incarnation: 'a', counter: 5 })).to.equal(true);
    expect(hasSeen(account, { incarnation: 'a', counter: 4 })).to.equal(true);
    expect(hasSeen(account, { incarnation: 'a', counter: 6 })).to.equal(false);
    expect(hasSeen(account, { incarnation: 'b', counter: 1 })).to.equal(false);
  });

  it('a silent incarnation is remembered for 60 s and then forgotten', () => {
    const first = consumed({ incarnation: 'a', counter: 5 }, START_MS);
    const kept = consumed({ incarnation: 'b', counter: 1 }, START_MS + 60_000, first);
    expect(hasSeen(kept, { incarnation: 'a', counter: 5 })).to.equal(true);
    const later = consumed({ incarnation: 'b', counter: 2 }, START_MS + 60_001, kept);
    expect(hasSeen(later, { incarnation: 'a', counter: 5 })).to.equal(false);
  });

  it('an account is live with a position or an order', () => {
    expect(mustStayInMemory(emptyAccount(ACCOUNT_ID))).to.equal(false);
    expect(mustStayInMemory(given(place({ limitPrice: '99' })).account)).to.equal(true);
    expect(mustStayInMemory(given(place({ limitPrice: '100' })).account)).to.equal(true);
  });
});
