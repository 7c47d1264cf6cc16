import { expect } from 'chai';
import fc from 'fast-check';
import { type Sides, toRow } from '../../../../src/actors/core/account/openOrderBook.ts';
import { checkMargin, type MarginVerdict, sidesOf } from '../../../../src/actors/core/checks/checkMargin.ts';
import { planFills } from '../../../../src/actors/core/fills/fillPlan.ts';
import { freeMargin } from '../../../../src/actors/core/margin/margin.ts';
import { leverageOf } from '../../../../src/actors/core/margin/positionMargin.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';

const flat = (cashUsd: string) => new FillBook(new FixtureMarket(), cashUsd);

interface OrderFields {
  readonly coin?: string;
  readonly side?: 'buy' | 'sell';
  /** `[price, size]` of each planned fill. */
  readonly fills?: readonly (readonly [price: string, size: string])[];
  /** `[price, size]` of what would rest. */
  readonly rest?: readonly [price: string, size: string];
  readonly reduceOnly?: boolean;
  readonly gone?: readonly number[];
}

function judged(book: FillBook, fields: OrderFields): MarginVerdict {
  const { coin = 'SOL', side = 'buy', fills = [], rest, reduceOnly = false, gone = [] } = fields;
  const asset = book.market.require(coin);
  const plan = planFills(
    { cash: book.cash, position: book.positions.get(asset.id) },
    fills.map(([price, size]) => ({ price: new Decimal(price), size: new Decimal(size) })),
    { asset, side, liquidity: 'taker', setting: leverageOf(book, asset), markPrice: book.market.prices(asset.id)?.markPrice },
  );
  const [limitPrice, restSize] = (rest ?? ['0', '0']).map((text) => new Decimal(text)) as [Decimal, Decimal];
  const others = othersThan(book, asset.id, gone);
  return checkMargin(book, { asset, side, limitPrice, reduceOnly, ...plan, rest: restSize, others }, book.market);
}

function othersThan(book: FillBook, asset: number, gone: readonly number[]): Sides {
  let sides = sidesOf(book, asset);
  for (const oid of gone) {
    const order = book.orders.get(oid);
    if (order) sides = { ...sides, [order.side]: sides[order.side].without(toRow(oid, order)) };
  }
  return sides;
}

describe('acceptance: an isolated position may not be opened below its maintenance', () => {
  /** SOL at 20x, maintenance 1/40. One bought at 97.5: margin 4.875, fee 0.043875. */
  const marked = (mark: string) => {
    const market = new FixtureMarket([{ coin: 'SOL', sizeDecimals: 2, maxLeverage: 20, mark }]);
    return new FillBook(market, '1000').setLeverage('SOL', 20, 'isolated');
  };

  const cases: { name: string; book: () => FillBook; order: OrderFields; want: MarginVerdict }[] = [
    {
      name: 'EX-4.6d: equity is maintenance',
      book: () => marked('95.045'),
      order: { fills: [['97.5', '1']] },
      want: 'accepted',
    },
    {
      name: 'EX-4.6d: equity is less',
      book: () => marked('95.044'),
      order: { fills: [['97.5', '1']] },
      want: 'insufficientMargin',
    },
    {
      name: 'a short',
      book: () => marked('100'),
      order: { side: 'sell', fills: [['97.43', '1']] },
      want: 'insufficientMargin',
    },
    {
      name: 'a short that is worth it',
      book: () => marked('100'),
      order: { side: 'sell', fills: [['97.71', '1']] },
      want: 'accepted',
    },
    {
      name: 'a flip',
      book: () => marked('95.044').held('SOL', { signedSize: '-1', entryPrice: '95', rawUsd: '120' }),
      order: { fills: [['97.5', '2']] },
      want: 'insufficientMargin',
    },
    {
      name: 'only a close, whatever is left',
      book: () => marked('50').held('SOL', { signedSize: '2', entryPrice: '97.5', rawUsd: '-120' }),
      order: { side: 'sell', fills: [['49', '1']] },
      want: 'accepted',
    },
    { name: 'what rests waits for its match', book: () => marked('95.044'), order: { rest: ['97.5', '1'] }, want: 'accepted' },
    {
      name: 'a cross one is judged by free margin alone',
      book: () => marked('95.044').setLeverage('SOL', 20, 'cross'),
      order: { fills: [['97.5', '1']] },
      want: 'accepted',
    },
  ];
  for (const { name, book, order, want } of cases) it(`${name}: ${want}`, () => expect(judged(book(), order)).to.equal(want));
});

describe('acceptance: margin for what opens, nothing for what closes', () => {
  const ten = () => flat('100').setLeverage('SOL', 10);

  const cases: { name: string; book: () => FillBook; order: OrderFields; want: MarginVerdict }[] = [
    {
      name: 'EX-4.6b market buy of 1000: the fee is missing',
      book: ten,
      order: { fills: [['100', '10']] },
      want: 'insufficientMargin',
    },
    { name: 'EX-4.6b market buy of 995', book: ten, order: { fills: [['100', '9.95']] }, want: 'accepted' },
    {
      name: 'EX-4.6b, edge 53: resting buy of exactly the free margin',
      book: ten,
      order: { rest: ['100', '10'] },
      want: 'accepted',
    },
    { name: 'one lot more is too much', book: ten, order: { rest: ['100', '10.01'] }, want: 'insufficientMargin' },
    {
      name: 'EX-4.6 a resting sell is charged at its limit, not at mid',
      book: () => flat('771.21').setLeverage('BTC', 3),
      order: { coin: 'BTC', side: 'sell', rest: ['67438.35', '0.03584'] },
      want: 'insufficientMargin',
    },
    {
      name: 'fills and what rests are charged together',
      book: ten,
      order: { fills: [['100', '5']], rest: ['100', '5'] },
      want: 'insufficientMargin',
    },
    {
      name: 'a loss against the mark counts at once',
      book: ten,
      order: { fills: [['104', '7.5']] },
      want: 'insufficientMargin',
    },
    {
      name: 'an isolated opening moves its margin out of cash',
      book: () => flat('100').setLeverage('ISO', 10, 'isolated'),
      order: { coin: 'ISO', fills: [['50', '20']] },
      want: 'accepted',
    },
    {
      name: 'an isolated opening of more than cash',
      book: () => flat('100').setLeverage('ISO', 10, 'isolated'),
      order: { coin: 'ISO', fills: [['50', '20.01']] },
      want: 'insufficientMargin',
    },
    {
      name: 'what the plan cancels holds nothing any more',
      book: () => ten().resting('SOL', 'sell', '10', '100'),
      order: { fills: [['100', '9.95']], gone: [1] },
      want: 'accepted',
    },
  ];
  for (const { name, book, order, want } of cases) it(name, () => expect(judged(book(), order)).to.equal(want));

  const underwater = () => {
    const book = flat('60').setLeverage('SOL', 20).held('SOL', { signedSize: '10', entryPrice: '100' });
    book.cash = book.cash.minus('1000');
    book.market.setPrices('SOL', { mark: '96' });
    expect(freeMargin(book, book.market).isNeg()).to.equal(true);
    return book;
  };

  const losses: { name: string; order: OrderFields; want: MarginVerdict }[] = [
    { name: 'edge 54: opening is refused', order: { fills: [['96', '1']] }, want: 'insufficientMargin' },
    { name: 'edge 54: reducing is accepted', order: { side: 'sell', fills: [['95', '4']] }, want: 'accepted' },
    {
      name: 'closing all is accepted, even at a price that ruins',
      order: { side: 'sell', fills: [['80', '10']] },
      want: 'accepted',
    },
    { name: 'resting beside the position is accepted', order: { side: 'sell', rest: ['97', '10'] }, want: 'accepted' },
    {
      name: 'resting for more than the position is not',
      order: { side: 'sell', rest: ['97', '10.01'] },
      want: 'insufficientMargin',
    },
    { name: 'reduce-only needs nothing', order: { side: 'sell', rest: ['97', '10'], reduceOnly: true }, want: 'accepted' },
    { name: 'a flip must pay for what it opens', order: { side: 'sell', fills: [['96', '13']] }, want: 'accepted' },
    { name: 'a flip beyond what closing gives', order: { side: 'sell', fills: [['96', '15']] }, want: 'insufficientMargin' },
  ];
  for (const { name, order, want } of losses)
    it(`after a loss: ${name}`, () => expect(judged(underwater(), order)).to.equal(want));

  it('invariant 8: an order that only reduces is never refused', () => {
    const fields = fc.record({
      held: fc.integer({ min: 1, max: 1000 }),
      isLong: fc.boolean(),
      share: fc.integer({ min: 1, max: 100 }),
      rests: fc.boolean(),
      mark: fc.integer({ min: 1, max: 200 }),
      isolated: fc.boolean(),
    });
    fc.assert(
      fc.property(fields, ({ held, isLong, share, rests, mark, isolated }) => {
        const book = flat('1').setLeverage('SOL', 10, isolated ? 'isolated' : 'cross');
        book.held('SOL', { signedSize: String(isLong ? held : -held), entryPrice: '100', rawUsd: isolated ? '-5' : '0' });
        book.market.setPrices('SOL', { mark: String(mark) });
        const size = String((held * share) / 100);
        const at = [String(mark), size] as const;
        const side = isLong ? 'sell' : 'buy';
        expect(judged(book, rests ? { side, rest: at } : { side, fills: [at] })).to.equal('accepted');
      }),
    );
  });

  it('invariant 7: whatever opens and is accepted leaves free margin at zero or above', () => {
    const fields = fc.record({
      cash: fc.integer({ min: 1, max: 2000 }),
      size: fc.integer({ min: 1, max: 200 }),
      side: fc.constantFrom('buy' as const, 'sell' as const),
    });
    fc.assert(
      fc.property(fields, ({ cash, size, side }) => {
        const book = flat(String(cash)).setLeverage('SOL', 10);
        if (judged(book, { side, fills: [['100', String(size)]] }) !== 'accepted') return;
        book.fill('SOL', { side, price: '100', size: String(size) });
        expect(freeMargin(book, book.market).isNeg()).to.equal(false);
      }),
    );
  });
});

describe('acceptance: tier limit on leverage', () => {
  const rich = (leverage: number) =>
    flat('10000000').setLeverage('TIER', leverage).held('TIER', { signedSize: '29000', entryPrice: '100' });
  const opening: OrderFields = { coin: 'TIER', fills: [['100', '2000']] };

  it('EX-4.4, edge 63: 2.9M and 0.2M more is beyond 3M at 10x, allowed at 5x', () => {
    expect(judged(rich(10), opening)).to.equal('tierLimit');
    expect(judged(rich(5), opening)).to.equal('accepted');
  });

  it('up to the boundary is the lower tier', () => {
    expect(judged(rich(10), { coin: 'TIER', fills: [['100', '1000']] })).to.equal('accepted');
    expect(judged(rich(10), { coin: 'TIER', fills: [['100', '1000.1']] })).to.equal('tierLimit');
  });

  it('resting orders of the same side count at their prices, those of the other side do not', () => {
    expect(judged(rich(10).resting('TIER', 'buy', '1000', '90'), opening)).to.equal('tierLimit');
    expect(judged(rich(10).resting('TIER', 'buy', '1000', '90'), { coin: 'TIER', rest: ['95', '100'] })).to.equal('accepted');
    expect(judged(rich(10).resting('TIER', 'buy', '1000', '90'), { coin: 'TIER', rest: ['95', '200'] })).to.equal('tierLimit');
    expect(judged(rich(10).resting('TIER', 'sell', '9000', '101'), { coin: 'TIER', rest: ['95', '1000'] })).to.equal('accepted');
  });

  it('closing is never beyond a tier', () => {
    const book = flat('10000000').setLeverage('TIER', 10).held('TIER', { signedSize: '40000', entryPrice: '100' });
    expect(judged(book, { coin: 'TIER', side: 'sell', fills: [['99', '10000']] })).to.equal('accepted');
  });
});
