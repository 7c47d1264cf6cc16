// Books with fewer digits: bids round down, asks up, sizes and orders add up.
import { expect } from 'chai';
import { aggregateLevels, type BookAggregation } from '../../../src/market/domain/aggregateBook.ts';
import type { FeedLevel } from '../../../src/market/domain/feed.ts';

const bids: FeedLevel[] = [
  ['113377.0', '1.0', 2],
  ['113371.0', '2.0', 1],
  ['113369.0', '4.0', 1],
];
const asks: FeedLevel[] = [
  ['113381.0', '1.0', 2],
  ['113389.0', '2.0', 1],
  ['113391.0', '4.0', 1],
];

describe('aggregateBook', () => {
  const cases: { name: string; to: BookAggregation; bids: string; asks: string }[] = [
    { name: '5 digits', to: { nSigFigs: 5 }, bids: '113370x3n3 113360x4n1', asks: '113390x3n3 113400x4n1' },
    { name: '5 digits in steps of 2', to: { nSigFigs: 5, mantissa: 2 }, bids: '113360x7n4', asks: '113400x7n4' },
    { name: '5 digits in steps of 5', to: { nSigFigs: 5, mantissa: 5 }, bids: '113350x7n4', asks: '113400x7n4' },
    { name: '2 digits', to: { nSigFigs: 2 }, bids: '110000x7n4', asks: '120000x7n4' },
  ];
  const text = (levels: FeedLevel[]): string => levels.map(([px, sz, n]) => `${px}x${sz}n${n}`).join(' ');
  for (const { name, to, ...want } of cases) {
    it(name, () => {
      expect(text(aggregateLevels(bids, 'bid', to))).to.equal(want.bids);
      expect(text(aggregateLevels(asks, 'ask', to))).to.equal(want.asks);
    });
  }

  it('shows 20 levels at most', () => {
    const many = Array.from({ length: 50 }, (_, i): FeedLevel => [String(100 + i), '1.0', 1]);
    expect(aggregateLevels(many, 'ask', { nSigFigs: 5 })).to.have.length(20);
  });
});
