import { expect } from 'chai';
import { aggregateLevels } from '../../../src/api/info/l2Book.ts';
import type { FeedLevel } from '../../../src/market/domain/feed.ts';

const bids: FeedLevel[] = [
  ['98804.0', '0.1', 2],
  ['98764.0', '0.2', 1],
  ['98701.0', '0.3', 3],
  ['97999.0', '1', 1],
];

describe('aggregateLevels: bids round down, asks up, sizes and orders add up', () => {
  const cases: { name: string; side: 'bid' | 'ask'; figures: number; mantissa: number; want: [string, string, number][] }[] = [
    {
      name: '5 figures change nothing here',
      side: 'bid',
      figures: 5,
      mantissa: 1,
      want: [
        ['98804.0', '0.1', 2],
        ['98764.0', '0.2', 1],
        ['98701.0', '0.3', 3],
        ['97999.0', '1.0', 1],
      ],
    },
    {
      name: '5 figures in steps of 5',
      side: 'bid',
      figures: 5,
      mantissa: 5,
      want: [
        ['98800.0', '0.1', 2],
        ['98760.0', '0.2', 1],
        ['98700.0', '0.3', 3],
        ['97995.0', '1.0', 1],
      ],
    },
    {
      name: '5 figures in steps of 2',
      side: 'ask',
      figures: 5,
      mantissa: 2,
      want: [
        ['98804.0', '0.1', 2],
        ['98764.0', '0.2', 1],
        ['98702.0', '0.3', 3],
        ['98000.0', '1.0', 1],
      ],
    },
    {
      name: '3 figures',
      side: 'bid',
      figures: 3,
      mantissa: 1,
      want: [
        ['98800.0', '0.1', 2],
        ['98700.0', '0.5', 4],
        ['97900.0', '1.0', 1],
      ],
    },
    {
      name: '2 figures, asks',
      side: 'ask',
      figures: 2,
      mantissa: 1,
      want: [
        ['99000.0', '0.6', 6],
        ['98000.0', '1.0', 1],
      ],
    },
  ];
  for (const { name, want, ...options } of cases) {
    it(name, () => {
      expect(aggregateLevels(bids, options).map(({ px, sz, n }) => [px, sz, n])).to.deep.equal(want);
    });
  }

  it('keeps small prices exact', () => {
    const levels: FeedLevel[] = [['0.0012345', '10', 1]];
    expect(aggregateLevels(levels, { side: 'ask', figures: 3, mantissa: 1 })[0]?.px).to.equal('0.00124');
  });
});
