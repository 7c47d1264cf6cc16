import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { OpenOrderBook } from '../../../../src/actors/core/account/openOrderBook.ts';
import { updateLeverage } from '../../../../src/actors/core/lifecycle/settings.ts';
import { freeMargin } from '../../../../src/actors/core/margin/margin.ts';
import { withLeverage } from '../../../../src/actors/core/margin/position.ts';
import { accountState } from '../../../../src/actors/core/views/accountState.ts';
import { PIPELINE } from '../../../../src/features/rules.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';

const CROSS_SHORT =
  'Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.';
const ISOLATED_SHORT =
  'Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.';

const flat = (cashUsd = '1000') => new FillBook(new FixtureMarket(), cashUsd);

/** `10x cross` when set, `unchanged`, or the refusal. */
function asked(book: FillBook, coin: string, leverage: number, marginMode: 'cross' | 'isolated' = 'cross'): string {
  const { cash, positions, leverage: settings } = book;
  const orders = new OpenOrderBook(
    [...book.orders].map(([oid, order]) => {
      const { limitPrice, size } = order;
      const idle = { oid, coin: '', originalSize: size, filledSize: '0', timeInForce: 'gtc' as const, placedAtMs: 0 };
      const resting = { ahead: '0', acceptedFeedTimeMs: 0, acceptedTick: '0-0' };
      return [oid, { ...idle, ...order, limitPrice, size, resting }] as const;
    }),
  );
  const account = { ...emptyAccount('0xaa'), cash, positions, leverage: settings, orders };
  const asset = book.market.assetOf(coin)?.id ?? 99;
  const { events, outcome } = updateLeverage(
    account,
    { type: 'updateLeverage', asset, marginMode, leverage },
    { market: book.market, pipeline: PIPELINE },
  );
  if (outcome.type === 'refused') return outcome.text;
  return (
    events.map((event) => (event.type === 'leverageSet' ? `${event.leverage}x ${event.marginMode}` : event.type))[0] ??
    'unchanged'
  );
}

describe('updateLeverage: the value', () => {
  for (const leverage of [50, 41, 2.5, 0, -1, Number.NaN]) {
    it(`edge 13: ${leverage} where 40 is the maximum`, () =>
      expect(asked(flat(), 'BTC', leverage)).to.equal('Invalid leverage value'));
  }

  it('1 and the maximum are allowed', () => {
    expect(asked(flat(), 'BTC', 40)).to.equal('40x cross');
    expect(asked(flat(), 'BTC', 1)).to.equal('1x cross');
  });

  it('50 bounds a coin that would allow more', () => {
    const book = new FillBook(new FixtureMarket([{ coin: 'X', sizeDecimals: 1, maxLeverage: 100, mark: '1' }]), '1');
    expect(asked(book, 'X', 50)).to.equal('50x cross');
    expect(asked(book, 'X', 51)).to.equal('Invalid leverage value');
  });

  it('an unknown asset', () => expect(asked(flat(), 'NONE', 5)).to.equal('Unknown asset. asset=99'));

  it('the values in force change nothing, the default included', () => {
    expect(asked(flat(), 'BTC', 20)).to.equal('unchanged');
    expect(asked(flat(), 'ISO', 10, 'isolated')).to.equal('unchanged');
    expect(asked(flat().setLeverage('BTC', 7, 'isolated'), 'BTC', 7, 'isolated')).to.equal('unchanged');
  });

  it('cross on an isolated-only coin', () => {
    expect(asked(flat(), 'ISO', 5)).to.equal('Cross margin is not allowed for this asset.');
    expect(asked(flat(), 'ISO', 5, 'isolated')).to.equal('5x isolated');
  });

  it('more than the tier of the position allows', () => {
    const large = flat('9000000').setLeverage('TIER', 3).filled('TIER', { side: 'buy', price: '100', size: '40000' });
    expect(asked(large, 'TIER', 6)).to.equal('Invalid leverage value');
    expect(asked(large, 'TIER', 5)).to.equal('5x cross');
  });
});

describe('updateLeverage: cross positions and resting orders', () => {
  const long = () => flat().setLeverage('ETH', 10).filled('ETH', { side: 'buy', price: '2000', size: '0.5' });

  it('EX-4.9: 2x needs 500, 1x needs more than there is', () => {
    expect(asked(long(), 'ETH', 2)).to.equal('2x cross');
    expect(asked(long(), 'ETH', 1)).to.equal(CROSS_SHORT);
  });

  it('a raise is allowed even when margin is gone', () => {
    const book = long().setLeverage('SOL', 20).resting('SOL', 'buy', '190', '100');
    book.market.setPrices('ETH', { mark: '1800' });
    expect(freeMargin(book, book.market).isNeg()).to.equal(true);
    expect(asked(book, 'ETH', 20)).to.equal('20x cross');
    expect(asked(book, 'ETH', 9)).to.equal(CROSS_SHORT);
    expect(asked(book, 'BTC', 5)).to.equal('5x cross');
  });

  it('edge 61: the mode of an open position cannot be switched, however small it is', () => {
    const tiny = flat().setLeverage('ETH', 10).held('ETH', { signedSize: '0.0005', entryPrice: '2000' });
    expect(asked(tiny, 'ETH', 10, 'isolated')).to.equal('Cannot switch leverage type with open position.');
    expect(asked(tiny, 'ETH', 7)).to.equal('7x cross');
  });

  it('with resting orders only the mode may be switched while their holds are covered', () => {
    const resting = (size: string) => flat().setLeverage('ETH', 10).resting('ETH', 'buy', size, '2000');
    expect(asked(resting('5'), 'ETH', 10, 'isolated')).to.equal('10x isolated');
    expect(asked(resting('5'), 'ETH', 9, 'isolated')).to.equal(ISOLATED_SHORT);
    const lost = resting('5');
    lost.cash = new Decimal('999');
    expect(asked(lost, 'ETH', 10, 'isolated')).to.equal(ISOLATED_SHORT);
  });

  it('a lower leverage must cover the holds of resting orders', () => {
    const resting = flat().setLeverage('ETH', 10).resting('ETH', 'buy', '1', '2000');
    expect(asked(resting, 'ETH', 2)).to.equal('2x cross');
    expect(asked(resting, 'ETH', 1)).to.equal(CROSS_SHORT);
  });
});

describe('updateLeverage: isolated positions', () => {
  const held = () => {
    const book = flat().setLeverage('ETH', 5, 'isolated');
    return book.held('ETH', { signedSize: '0.0648', entryPrice: '2000', rawUsd: '-83.7' });
  };

  it('45.9 on 129.6: lowering to 3x is covered, to 1x not', () => {
    expect(asked(held(), 'ETH', 3, 'isolated')).to.equal('3x isolated');
    expect(asked(held(), 'ETH', 1, 'isolated')).to.equal(ISOLATED_SHORT);
  });

  it('edge 60: exactly enough is enough', () => {
    const exact = flat()
      .setLeverage('ETH', 5, 'isolated')
      .held('ETH', { signedSize: '0.0648', entryPrice: '2000', rawUsd: '-86.4' });
    expect(asked(exact, 'ETH', 3, 'isolated')).to.equal('3x isolated');
  });

  it('edge 60, invariant 21: a raise changes neither bucket nor liquidation price', () => {
    const book = held();
    const shown = () => accountState(book, book.market, 0).positions[0];
    const before = shown();
    expect(asked(book, 'ETH', 10, 'isolated')).to.equal('10x isolated');
    book.setLeverage('ETH', 10, 'isolated');
    book.positions.set(1, withLeverage(book.position('ETH'), { marginMode: 'isolated', leverage: 10 }));
    const after = shown();
    expect(after?.leverage).to.deep.equal({ type: 'isolated', value: 10, rawUsd: '-83.7' });
    expect([after?.liquidationPrice, after?.marginUsed]).to.deep.equal([before?.liquidationPrice, before?.marginUsed]);
  });

  it('a resting order of the coin holds more of the cash at a lower leverage', () => {
    const book = held().resting('ETH', 'buy', '2', '2000');
    expect(asked(book, 'ETH', 4, 'isolated')).to.equal('4x isolated');
    expect(asked(book, 'ETH', 3, 'isolated')).to.equal(ISOLATED_SHORT);
  });
});

describe('updateLeverage: invariant 21', () => {
  it('raising the leverage never lowers free margin, and changes no value or liquidation price', () => {
    const fields = fc.record({
      size: fc.integer({ min: -300, max: 300 }).filter((lots) => lots !== 0),
      order: fc.integer({ min: 1, max: 50 }),
      from: fc.integer({ min: 1, max: 19 }),
      isolated: fc.boolean(),
    });
    fc.assert(
      fc.property(fields, ({ size, order, from, isolated }) => {
        const marginMode = isolated ? 'isolated' : 'cross';
        const book = flat('5000').setLeverage('SOL', from, marginMode);
        book.filled('SOL', { side: size > 0 ? 'buy' : 'sell', price: '99', size: String(Math.abs(size) / 100) });
        book.resting('SOL', 'sell', String(order), '120').resting('SOL', 'buy', '3', '80');
        const before = { free: freeMargin(book, book.market), state: accountState(book, book.market, 0) };
        book.setLeverage('SOL', from + 1, marginMode);
        book.positions.set(2, withLeverage(book.position('SOL'), { marginMode, leverage: from + 1 }));
        const state = accountState(book, book.market, 0);
        expect(freeMargin(book, book.market).gte(before.free)).to.equal(true);
        expect(state.marginSummary.accountValue).to.equal(before.state.marginSummary.accountValue);
        expect(state.marginSummary.totalRawUsd).to.equal(before.state.marginSummary.totalRawUsd);
        expect(state.positions[0]?.liquidationPrice).to.equal(before.state.positions[0]?.liquidationPrice);
      }),
    );
  });
});
