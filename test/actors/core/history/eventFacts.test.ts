import { expect } from 'chai';
import { EVENT_FACTS, type EventTable, factsOf } from '../../../../src/actors/core/history/eventFacts.ts';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import { ACCOUNT_ID } from '../../../support/scenario.ts';

describe('eventFacts: what each event means to those who do not fold it', () => {
  it('a table without a row for an event, or with a column left open, does not compile', () => {
    const { orderRested, ...others } = EVENT_FACTS;
    // @ts-expect-error one event has no row
    const short: EventTable = others;
    const { house: _, ...columns } = orderRested;
    // @ts-expect-error one column is left open
    const open: EventTable = { ...EVENT_FACTS, orderRested: columns };
    expect(Object.keys(EVENT_FACTS)).to.have.length(Object.keys(short).length + 1);
    expect(Object.keys(open.orderRested)).to.not.include('house');
  });

  it('funding without an hour of a position is no row, no point of the curve and moves money all the same', () => {
    const settled = { type: 'fundingSettled', asset: 2, coin: 'SOL', timeMs: 5, throughMs: 5, usd: '0' } as const;
    const none = { ...settled, sinceOpenUsd: '0', sinceChangeUsd: '0', signedSize: '0', fundingRate: '0', hours: 0 };
    const entry = { accountId: ACCOUNT_ID, seq: 1, timeMs: 5, firstRows: {} };
    expect(rowsOf({ ...entry, events: [none] })).to.deep.equal([]);
    expect(rowsOf({ ...entry, events: [{ ...none, hours: 1 }] }).map(({ kind }) => kind)).to.deep.equal(['funding']);
    expect(factsOf(none).isEquityPoint(none)).to.equal(false);
    expect(factsOf(none).margin).to.equal('moved');
  });

  it('a slice of a TWAP is history of the TWAP, any other fill history of fills', () => {
    const { row } = EVENT_FACTS.orderFilled;
    if (row === 'none') throw new Error('a fill gives a row');
    const fill = { type: 'orderFilled', oid: 1, tid: 2, asset: 2, coin: 'SOL', side: 'buy', price: '100', size: '1' } as const;
    const plain = { ...fill, liquidity: 'taker', fee: '0', closedPnl: '0', startPosition: '0', direction: 'Open Long' } as const;
    const whole = { ...plain, marginMode: 'cross', leverage: 3, evidence: {} } as const;
    expect(row.kindOf(whole)).to.equal('fills');
    expect(row.kindOf({ ...whole, twapId: 7 })).to.equal('twapFills');
    expect(factsOf(whole).house(whole)).to.equal(undefined);
    expect(factsOf(whole).touches(whole)).to.deep.equal({ orders: [1] });
  });
});
