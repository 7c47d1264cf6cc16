import { expect } from 'chai';
import type { AssetContext, ContextChange } from '../../../src/market/domain/feed.ts';
import { FundingRecords, HOURS_KEPT } from '../../../src/market/domain/fundingRecords.ts';
import { HOUR_MS } from '../../../src/shared/domain/units.ts';

const at = (clock: string): number => Date.parse(`2026-11-20T${clock}Z`);
const context = (clock: string, oraclePx: string, coin = 'ETH'): ContextChange => {
  const others: Omit<AssetContext, 'oraclePx'> = {
    ...{ funding: '0.0', openInterest: '1', prevDayPx: '1', dayNtlVlm: '1' },
    ...{ premium: null, markPx: '1', midPx: null, impactPxs: null },
  };
  return { type: 'context', coin, timeMs: at(clock), context: { ...others, oraclePx } };
};

describe('fundingRecords: the oracle price of an hour (rule 6.4)', () => {
  it('is the last one published at or before it', () => {
    const records = new FundingRecords([]);
    expect(records.onContext(context('00:59:58', '1999'))).to.equal(undefined);
    expect(records.onContext(context('00:59:59.5', '2000'))).to.equal(undefined);
    const change = records.onContext(context('01:00:00.2', '2001'));
    expect(change?.hours).to.deep.equal([[at('01:00:00'), null, '2000']]);
    expect(change?.sinceMs).to.equal(at('00:00:00'));
  });

  it('at exactly the hour counts', () => {
    const records = new FundingRecords([context('00:59:58', '1999')]);
    expect(records.onContext(context('01:00:00', '2000'))).to.equal(undefined);
    expect(records.onContext(context('01:00:03', '2001'))?.hours).to.deep.equal([[at('01:00:00'), null, '2000']]);
  });

  it('is known by the time alone when nothing is published after the hour', () => {
    const records = new FundingRecords([context('00:59:58', '1999')]);
    expect(records.onTime('ETH', at('00:59:59'))).to.equal(undefined);
    expect(records.onTime('ETH', at('01:00:01'))?.hours).to.deep.equal([[at('01:00:00'), null, '1999']]);
    expect(records.onTime('ETH', at('01:00:02'))).to.equal(undefined);
  });

  it('is not known when nobody listened in the minute before', () => {
    const records = new FundingRecords([context('00:58:59', '1999')]);
    expect(records.onContext(context('01:30:00', '2001'))).to.equal(undefined);
    expect(records.missing('ETH', at('01:30:00'))).to.deep.equal({ rates: [at('01:00:00')], oracles: [at('01:00:00')] });
  });
});

describe('fundingRecords: what is missing is found and filled', () => {
  it('hours in which nobody led, from the last one recorded', () => {
    const earlier = { type: 'funding', coin: 'ETH', sinceMs: at('00:00:00'), hours: [[at('01:00:00'), '0.1', '2000']] } as const;
    const records = new FundingRecords([earlier]);
    const { rates } = records.missing('ETH', at('04:10:00'));
    expect(rates).to.deep.equal([at('02:00:00'), at('03:00:00'), at('04:00:00')]);
    records.fill('ETH', { rates: new Map(rates.map((hourMs) => [hourMs, '0.2'])) });
    const change = records.fill('ETH', { oraclePrices: new Map([[at('02:00:00'), '2002']]) });
    expect(change?.hours).to.deep.equal([
      [at('01:00:00'), '0.1', '2000'],
      [at('02:00:00'), '0.2', '2002'],
      [at('03:00:00'), '0.2', null],
      [at('04:00:00'), '0.2', null],
    ]);
    expect(records.missing('ETH', at('04:10:00'))).to.deep.equal({ rates: [], oracles: [at('03:00:00'), at('04:00:00')] });
  });

  it('what is known is never replaced, hours before the first are of no use', () => {
    const records = new FundingRecords([context('00:59:59', '1999')]);
    records.onTime('ETH', at('01:00:01'));
    const other = new Map([
      [at('01:00:00'), '5'],
      [at('00:00:00'), '5'],
    ] as const);
    expect(records.fill('ETH', { oraclePrices: other })).to.equal(undefined);
    expect(records.fill('NONE', { rates: other })).to.equal(undefined);
  });

  it('keeps so many hours and says from where on', () => {
    const records = new FundingRecords([context('00:30:00', '1999')]);
    const first = at('00:00:00');
    const rates = new Map(Array.from({ length: HOURS_KEPT + 5 }, (_, i) => [first + (i + 1) * HOUR_MS, '0.1'] as const));
    const change = records.fill('ETH', { rates });
    expect(change?.hours).to.have.length(HOURS_KEPT);
    expect(change?.sinceMs).to.equal(first + 5 * HOUR_MS);
    expect(records.missing('ETH', first + (HOURS_KEPT + 5) * HOUR_MS).oracles).to.have.length(HOURS_KEPT);
  });
});
