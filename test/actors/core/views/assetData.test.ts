import { expect } from 'chai';
import { assetData } from '../../../../src/actors/core/views/assetData.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';
import { readRecording } from '../../../support/recordings.ts';

const BTC: FixtureCoin = { coin: 'BTC', sizeDecimals: 5, maxLeverage: 50, mark: '26961.2' };
const HYPE: FixtureCoin = { coin: 'HYPE', sizeDecimals: 2, maxLeverage: 10, mark: '94.017' };

const shown = (book: FillBook, assetId = 0) => assetData(book, assetId, book.market);

describe('assetData: what could be traded of one coin', () => {
  it('EX-4.8: the recorded HYPE account', () => {
    const recorded = readRecording('info.activeAssetData').response as { maxTradeSzs: string[]; availableToTrade: string[] };
    const book = new FillBook(new FixtureMarket([HYPE]), '680.955673');
    expect(shown(book)).to.deep.equal({
      coin: 'HYPE',
      leverage: { type: 'cross', value: 10 },
      maxTradeSizes: recorded.maxTradeSzs,
      availableToTrade: recorded.availableToTrade,
      markPrice: '94.017',
    });
  });

  it('EX-4.8: against a short there is twice its size more', () => {
    const book = new FillBook(new FixtureMarket([BTC]), '0').setLeverage('BTC', 20);
    book.held('BTC', { signedSize: '-0.00785', entryPrice: '26961.2' });
    // Free margin is 1010.57173 once the short and its margin of 10.582271 are counted.
    book.cash = book.cash.plus('1010.57173').plus('10.582271').plus('211.64542');
    expect(shown(book)?.maxTradeSizes).to.deep.equal(['0.76534', '0.74964']);
    expect(shown(book)?.availableToTrade).to.deep.equal(['1031.736272', '1010.57173']);
  });

  it('an isolated coin without a position shows an empty bucket', () => {
    const book = new FillBook(new FixtureMarket(), '1000').setLeverage('ISO', 4, 'isolated');
    expect(shown(book, 3)?.leverage).to.deep.equal({ type: 'isolated', value: 4, rawUsd: '0.0' });
    expect(shown(book, 3)?.maxTradeSizes).to.deep.equal(['80.0', '80.0']);
  });

  it('an isolated position shows its bucket', () => {
    const book = new FillBook(new FixtureMarket(), '1000').setLeverage('ISO', 5, 'isolated');
    book.filled('ISO', { side: 'buy', price: '50', size: '10' });
    expect(shown(book, 3)).to.deep.include({
      leverage: { type: 'isolated', value: 5, rawUsd: '-400.225' },
      maxTradeSizes: ['90.0', '110.0'],
      availableToTrade: ['900.0', '1100.0'],
    });
  });

  it('margin that is gone opens nothing, but what is held can be closed', () => {
    const book = new FillBook(new FixtureMarket(), '60')
      .setLeverage('SOL', 20)
      .held('SOL', { signedSize: '10', entryPrice: '100' });
    book.cash = book.cash.minus(1000);
    book.market.setPrices('SOL', { mark: '96' });
    expect(shown(book, 2)).to.deep.include({ maxTradeSizes: ['0.0', '20.0'], availableToTrade: ['0.0', '96.0'] });
  });

  it('nothing without a mark or for an unknown coin', () => {
    const book = new FillBook(new FixtureMarket(), '60');
    book.market.removePrices('SOL');
    expect(shown(book, 2)).to.equal(undefined);
    expect(shown(book, 99)).to.equal(undefined);
  });
});
