import { expect } from 'chai';
import { Delistings } from '../../../src/market/domain/delistings.ts';
import type { ContextChange } from '../../../src/market/domain/feed.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MINUTE_MS = 60_000;

/** The oracle price of ABC so many minutes after noon. */
const context = (minute: number, oraclePx: string): ContextChange => ({
  type: 'context',
  coin: 'ABC',
  timeMs: NOON + minute * MINUTE_MS,
  context: {
    funding: '0.0',
    openInterest: '0.0',
    prevDayPx: '1.0',
    dayNtlVlm: '0.0',
    premium: null,
    oraclePx,
    markPx: '7.0',
    midPx: null,
    impactPxs: null,
  },
});
const listed = { universe: [{ name: 'ABC', szDecimals: 2, maxLeverage: 5 }] };
const delisted = { universe: [{ name: 'ABC', szDecimals: 2, maxLeverage: 5, isDelisted: true }] };

/** Settlement prices when ABC is off the list so many minutes after noon. */
const pricesAt = (delistings: Delistings, minute: number) =>
  delistings.onMeta(delisted, NOON + minute * MINUTE_MS).map(({ price }) => price);

function heard(...contexts: readonly ContextChange[]): Delistings {
  const delistings = new Delistings([]);
  for (const change of contexts) delistings.onContext(change);
  return delistings;
}

describe('delistings: the average oracle price of the hour before', () => {
  it('edge 90: each price counts for as long as it stood', () => {
    // 10 for 15 minutes, 14 for 30, 12 for 15
    expect(pricesAt(heard(context(0, '10.0'), context(15, '14.0'), context(45, '12.0')), 60)).to.deep.equal(['12.5']);
  });

  it('edge 90: what stood before the hour counts from its beginning, what ended before it does not', () => {
    // at 13:30 the hour began at 12:30: 14 for 10 minutes, 20 for 50
    const delistings = heard(context(0, '1.0'), context(15, '14.0'), context(40, '20.0'));
    expect(pricesAt(delistings, 90)).to.deep.equal(['19']);
    expect(pricesAt(heard(context(0, '1.0'), context(15, '14.0')), 9000)).to.deep.equal(['14']);
  });

  it('edge 90: of an hour that was not seen whole the part that was counts', () => {
    expect(pricesAt(heard(context(50, '10.0'), context(56, '20.0')), 60)).to.deep.equal(['14']);
    expect(pricesAt(heard(context(60, '10.5')), 60)).to.deep.equal(['10.5']);
  });

  it('edge 90: half up to the decimals of a price', () => {
    // 1 for 40 of 60 minutes, 2 for 20: 1.33333…; szDecimals 2 leaves 4
    expect(pricesAt(heard(context(0, '1.0'), context(40, '2.0')), 60)).to.deep.equal(['1.3333']);
    expect(pricesAt(heard(context(0, '1.0'), context(20, '2.0')), 60)).to.deep.equal(['1.6667']);
  });

  it('edge 90: it is told once, also by the next leader, and again when the coin had come back', () => {
    const delistings = heard(context(0, '10.0'));
    const [first, ...others] = delistings.onMeta(delisted, NOON + MINUTE_MS);
    expect(first).to.deep.equal({ type: 'delisting', coin: 'ABC', timeMs: NOON + MINUTE_MS, price: '10' });
    expect(others).to.deep.equal([]);
    expect(pricesAt(delistings, 2)).to.deep.equal([]);
    const next = new Delistings([context(0, '10.0'), first as NonNullable<typeof first>]);
    expect(pricesAt(next, 2)).to.deep.equal([]);
    expect(next.onMeta(listed, NOON + 3 * MINUTE_MS)).to.deep.equal([]);
    next.onContext(context(4, '11.0'));
    expect(pricesAt(next, 5)).to.deep.equal(['11']);
  });

  it('edge 90: a leader that begins when the coin is off the list goes on with what the last one heard', () => {
    expect(pricesAt(new Delistings([context(0, '10.0')]), 30)).to.deep.equal(['10']);
    expect(pricesAt(new Delistings([]), 30)).to.deep.equal([]);
  });
});
