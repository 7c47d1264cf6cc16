// The book of trading-rules 3.1: the newest book with newer bbo and trades applied, in any order of arrival.
import { expect } from 'chai';
import { CoinBook } from '../../../src/market/domain/coinBook.ts';
import type { BboChange, BookChange, FeedLevel, MarketTrade } from '../../../src/market/domain/feed.ts';

const level = ([price, size]: [string, string]): FeedLevel => [price, size, 1];
const book = (timeMs: number, bids: [string, string][], asks: [string, string][]): BookChange => ({
  type: 'book',
  coin: 'X',
  timeMs,
  bids: bids.map(level),
  asks: asks.map(level),
});
const bbo = (timeMs: number, bid: [string, string] | null, ask: [string, string] | null): BboChange => ({
  type: 'bbo',
  coin: 'X',
  timeMs,
  bid: bid && level(bid),
  ask: ask && level(ask),
});
let tid = 0;
const trade = (timeMs: number, side: 'buy' | 'sell', price: string, size: string): MarketTrade => {
  tid += 1;
  return { side, price, size, timeMs, tid };
};

/** Applies changes and gives `bids|asks` as `price x size`. */
function folded(...changes: (BookChange | BboChange | MarketTrade)[]): string {
  const coin = new CoinBook();
  for (const change of changes) {
    if (!('type' in change)) coin.onTrades([change]);
    else if (change.type === 'book') coin.onBook(change);
    else coin.onBbo(change);
  }
  const text = coin.text();
  const side = (levels: readonly FeedLevel[] | undefined): string => (levels ?? []).map(([px, sz]) => `${px}x${sz}`).join(' ');
  return text === undefined ? 'none' : `${side(text.bids)}|${side(text.asks)}`;
}

const base = book(
  100,
  [
    ['99', '5'],
    ['98', '7'],
  ],
  [
    ['101', '3'],
    ['102', '4'],
    ['103', '6'],
  ],
);

describe('coinBook: the newest of book, bbo and trades (rule 3.1)', () => {
  const cases: { name: string; changes: Parameters<typeof folded>; want: string }[] = [
    { name: 'nothing', changes: [], want: 'none' },
    { name: 'a bbo alone is no book', changes: [bbo(100, ['99', '1'], null)], want: 'none' },
    { name: 'a book', changes: [base], want: '99x5 98x7|101x3 102x4 103x6' },
    { name: 'an older book is dropped', changes: [base, book(99, [], [])], want: '99x5 98x7|101x3 102x4 103x6' },
    { name: 'a book of the same time replaces', changes: [base, book(100, [['99', '1']], [])], want: '99x1|' },
    { name: 'an older bbo does nothing', changes: [base, bbo(100, ['99', '1'], null)], want: '99x5 98x7|101x3 102x4 103x6' },
    {
      name: 'a newer bbo replaces the best size',
      changes: [base, bbo(101, ['99', '1'], ['101', '9'])],
      want: '99x1 98x7|101x9 102x4 103x6',
    },
    { name: 'a newer bbo drops better levels', changes: [base, bbo(101, ['98', '2'], ['103', '6'])], want: '98x2|103x6' },
    {
      name: 'a newer bbo adds a better level',
      changes: [base, bbo(101, ['99.5', '2'], ['101', '3'])],
      want: '99.5x2 99x5 98x7|101x3 102x4 103x6',
    },
    { name: 'a bbo between two levels', changes: [base, bbo(101, ['99', '5'], ['102.5', '1'])], want: '99x5 98x7|102.5x1 103x6' },
    { name: 'a side without a best is empty', changes: [base, bbo(101, null, ['101', '3'])], want: '|101x3 102x4 103x6' },
    {
      name: 'an older bbo after a newer one is dropped',
      changes: [base, bbo(105, ['99', '2'], null), bbo(104, ['99', '3'], null)],
      want: '99x2 98x7|',
    },
    {
      name: 'a book newer than the bbo wins',
      changes: [base, bbo(101, ['98', '2'], null), book(102, [['99', '5']], [['101', '3']])],
      want: '99x5|101x3',
    },
    {
      name: 'a bbo newer than a late book wins',
      changes: [bbo(105, ['98', '2'], ['101', '3']), base],
      want: '98x2|101x3 102x4 103x6',
    },
    { name: 'a trade takes from its level', changes: [base, trade(101, 'buy', '101', '1')], want: '99x5 98x7|101x2 102x4 103x6' },
    { name: 'a trade takes a level whole', changes: [base, trade(101, 'buy', '101', '3')], want: '99x5 98x7|102x4 103x6' },
    {
      name: 'a trade beyond the best drops what is better',
      changes: [base, trade(101, 'buy', '102', '1')],
      want: '99x5 98x7|102x3 103x6',
    },
    { name: 'a sell works on the bids', changes: [base, trade(101, 'sell', '98', '2')], want: '98x5|101x3 102x4 103x6' },
    {
      name: 'a trade of the time of the book is in it',
      changes: [base, trade(100, 'buy', '101', '1')],
      want: '99x5 98x7|101x3 102x4 103x6',
    },
    {
      name: 'a trade newer than a late book stays',
      changes: [base, trade(105, 'buy', '101', '1'), book(103, [['99', '5']], [['101', '3']])],
      want: '99x5|101x2',
    },
    {
      name: 'a trade before the bbo is in it',
      changes: [base, trade(101, 'buy', '101', '1'), bbo(102, ['99', '5'], ['101', '9'])],
      want: '99x5 98x7|101x9 102x4 103x6',
    },
    {
      name: 'a trade after the bbo',
      changes: [base, bbo(102, ['99', '5'], ['101', '9']), trade(103, 'buy', '101', '1')],
      want: '99x5 98x7|101x8 102x4 103x6',
    },
    { name: 'prices are compared as numbers', changes: [base, trade(101, 'buy', '101.0', '3.0')], want: '99x5 98x7|102x4 103x6' },
  ];
  for (const { name, changes, want } of cases) it(name, () => expect(folded(...changes)).to.equal(want));

  it('what is beyond the last level, or the furthest trade, stays out of sight', () => {
    const coin = new CoinBook();
    coin.onBook(base);
    expect(coin.text()?.shownTo).to.deep.equal({ bid: '98', ask: '103' });
    coin.onTrades([trade(150, 'sell', '98.5', '1')]);
    expect(coin.text()?.shownTo.bid).to.equal('98');
    coin.onTrades([trade(151, 'sell', '90', '1'), trade(152, 'sell', '95', '1')]);
    expect(coin.text()).to.deep.include({ bids: [], shownTo: { bid: '90', ask: '103' } });
    coin.onBook(book(160, [], [['101', '3']]));
    expect(coin.text()?.shownTo).to.deep.equal({ ask: '101' });
  });

  it('gives a new version and time with each change, and the same object while nothing changes', () => {
    const coin = new CoinBook();
    coin.onBook(base);
    const first = coin.book();
    expect(coin.book()).to.equal(first);
    coin.onTrades([trade(150, 'buy', '101', '1')]);
    expect(coin.book()?.version).to.be.greaterThan(first?.version ?? 0);
    expect(coin.book()?.timeMs).to.equal(150);
    expect(coin.book()?.asks[0]?.size.toFixed()).to.equal('2');
  });
});
