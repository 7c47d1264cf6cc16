import { expect } from 'chai';
import {
  type LadderRow,
  ladderOf,
  type OwnLevel,
  rowPrice,
  stepsAt,
  withOwnOrders,
} from '../../../src/dashboard/domain/market/ladder.ts';

const level = (price: string, size: string) => ({ price, size });
const BOOK = {
  bids: [level('99.9', '5'), level('99.6', '0.1'), level('99.5', '0.2')],
  asks: [level('100.1', '2'), level('100.2', '3'), level('100.6', '5')],
};
const own = (price: string, part: Partial<OwnLevel> = {}): OwnLevel => ({
  price,
  ...{ consumed: '0.0', ownSize: '1', ownOrders: 1, queueAhead: '4' },
  ...part,
});
const NOTHING = { bids: [], asks: [] };
const brief = (rows: readonly LadderRow[]) => rows.map(({ price, size, total }) => `${price} ${size} ${total}`);

describe('the ladder: levels, sums and steps', () => {
  it('sums from the best price on, exactly', () => {
    const { bids, asks } = ladderOf(BOOK, NOTHING, { step: '0.1', rowsMax: 20 });
    expect(brief(bids)).to.deep.equal(['99.9 5 5', '99.6 0.1 5.1', '99.5 0.2 5.3']);
    expect(brief(asks)).to.deep.equal(['100.1 2 2', '100.2 3 5', '100.6 5 10']);
  });

  it('bars are parts of the deepest side', () => {
    const { bids, asks } = ladderOf(BOOK, NOTHING, { step: '0.1', rowsMax: 20 });
    expect(asks.map(({ share }) => share)).to.deep.equal([0.2, 0.5, 1]);
    expect(bids.at(-1)?.share).to.be.closeTo(0.53, 1e-9);
  });

  it('a step merges bids downwards and asks upwards, so that no row promises too much', () => {
    const { bids, asks } = ladderOf(BOOK, NOTHING, { step: '0.5', rowsMax: 20 });
    expect(brief(bids)).to.deep.equal(['99.5 5.3 5.3']);
    expect(brief(asks)).to.deep.equal(['100.5 5 5', '101 5 10']);
    expect(rowPrice('65000.0', { side: 'ask', step: '100' })).to.equal('65000');
    expect(rowPrice('65001', { side: 'ask', step: '100' })).to.equal('65100');
    expect(rowPrice('0.012349', { side: 'bid', step: '0.00001' })).to.equal('0.01234');
  });

  it('shows so many rows of a side', () => {
    expect(ladderOf(BOOK, NOTHING, { step: '0.1', rowsMax: 2 }).asks.length).to.equal(2);
    expect(ladderOf({ bids: [], asks: [] }, { bids: [own('99')], asks: [] }, { step: '1', rowsMax: 2 })).to.deep.equal(NOTHING);
  });

  it('begins with the grid of the venue at the price', () => {
    expect(stepsAt('65123')).to.deep.equal(['1', '2', '5', '10', '100', '1000']);
    expect(stepsAt('150.25')).to.deep.equal(['0.01', '0.02', '0.05', '0.1', '1', '10']);
    expect(stepsAt('0.012345').slice(0, 2)).to.deep.equal(['0.000001', '0.000002']);
    expect(stepsAt('123456')[0]).to.equal('1');
    expect(stepsAt('')).to.deep.equal(['1']);
  });
});

describe('the ladder: what the account has in the book', () => {
  it('own orders stand on their level, with the queue before the first', () => {
    const { bids } = ladderOf(
      BOOK,
      { bids: [own('99.6', { ownSize: '2', ownOrders: 2 })], asks: [] },
      { step: '0.1', rowsMax: 20 },
    );
    expect(bids[1]?.own).to.deep.equal({ size: '2', orders: 2, queueAhead: '4' });
    expect(bids[0]?.own).to.equal(null);
  });

  it('one between the levels has a row of its own; one beyond them has none', () => {
    const { bids } = ladderOf(
      BOOK,
      { bids: [own('99.7', { queueAhead: '0' }), own('90')], asks: [] },
      { step: '0.1', rowsMax: 20 },
    );
    expect(brief(bids)).to.deep.equal(['99.9 5 5', '99.7 0 5', '99.6 0.1 5.1', '99.5 0.2 5.3']);
  });

  it('orders within a step are one row, behind the queue of the best of them', () => {
    const { asks } = ladderOf(
      BOOK,
      { bids: [], asks: [own('100.2', { queueAhead: '3' }), own('100.1', { queueAhead: '2', ownSize: '0.5' })] },
      { step: '0.5', rowsMax: 20 },
    );
    expect(asks[0]?.own).to.deep.equal({ size: '1.5', orders: 2, queueAhead: '2' });
  });

  it('what was taken of the levels of a row is summed', () => {
    const taken = { ownSize: '0', ownOrders: 0, queueAhead: null };
    const asks = [own('100.1', { consumed: '0.5', ...taken }), own('100.2', { consumed: '0.25', ...taken })];
    const ladder = ladderOf(BOOK, { bids: [], asks }, { step: '0.5', rowsMax: 20 });
    expect(ladder.asks[0]).to.include({ consumed: '0.75', own: null });
    expect(ladder.asks[1]?.consumed).to.equal(null);
  });

  it('orders are those of now, the queue and what was taken those of the last answer', () => {
    const known = [own('99.5', { consumed: '0.2', ownSize: '9', ownOrders: 9 }), own('99.4')];
    const orders = [level('99.50', '1'), level('99.5', '0.5'), level('99.3', '3')];
    expect(withOwnOrders(known, orders)).to.deep.equal([
      { price: '99.5', consumed: '0.2', ownSize: '1.5', ownOrders: 2, queueAhead: '4' },
      { price: '99.3', consumed: '0', ownSize: '3', ownOrders: 1, queueAhead: null },
    ]);
  });
});
