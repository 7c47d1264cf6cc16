// ccxt.pro: public streams.
import { expect } from 'chai';
import { ccxtPro } from './ccxtPro.ts';
import type { Client } from './client.ts';
import { type SharedStack, sharedStack } from './sharedStack.ts';

/** A coin of its own, whose book and trades no other test minds. */
const COIN = 'BNB';
const SYMBOL = `${COIN}/USDC:USDC`;
const MINUTE_MS = 60_000;

describe('ccxt.pro: public streams', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let client: Client;

  before(async () => {
    shared = await sharedStack();
    client = await ccxtPro(shared, await shared.stack.register());
    await setBook('600', '601');
  });
  after(() => client?.close());

  const setBook = (bid: string, ask: string): Promise<unknown> =>
    shared.stack.market.control({ op: 'setBook', coin: COIN, bids: [[bid, '3']], asks: [[ask, '4']] });
  const trade = (px: string, sz: string): Promise<unknown> =>
    shared.stack.market.control({ op: 'trade', coin: COIN, px, sz, side: 'B', keepBook: true });
  const watch = (method: string, ...args: unknown[]) => client.call(method, ...args);

  it('watches an order book, and no more when it is told so', async () => {
    let book = await watch('watchOrderBook', SYMBOL);
    while (book.bids[0][0] !== 600) book = await watch('watchOrderBook', SYMBOL);
    expect([book.bids, book.asks]).to.deep.equal([[[600, 3]], [[601, 4]]]);
    const next = watch('watchOrderBook', SYMBOL);
    await setBook('605', '606');
    expect((await next).bids[0]).to.deep.equal([605, 3]);
    await watch('unWatchOrderBook', SYMBOL);
  });

  it('watches trades', async () => {
    const first = watch('watchTrades', SYMBOL);
    await trade('607', '0.5');
    let [latest] = (await first).slice(-1);
    while (latest.price !== 607) [latest] = (await watch('watchTrades', SYMBOL)).slice(-1);
    expect(latest).to.deep.include({ symbol: SYMBOL, price: 607, amount: 0.5, side: 'buy' });
    const next = watch('watchTrades', SYMBOL);
    await trade('608', '0.25');
    expect((await next).at(-1)).to.deep.include({ price: 608, amount: 0.25 });
    await watch('unWatchTrades', SYMBOL);
  });

  for (const timeframe of ['1m', '1h', '1d', '1w', '1M']) {
    it(`watches candles of ${timeframe}`, async () => {
      await trade('609', '0.125');
      const [before] = (await watch('watchOHLCV', SYMBOL, timeframe)).slice(-1);
      expect(before[0] % MINUTE_MS).to.equal(0);
      const next = watch('watchOHLCV', SYMBOL, timeframe);
      await trade('611', '0.125');
      let [candle] = (await next).slice(-1);
      while (candle[4] !== 611) [candle] = (await watch('watchOHLCV', SYMBOL, timeframe)).slice(-1);
      expect(candle[2]).to.be.at.least(611);
      const fetched = (await watch('fetchOHLCV', SYMBOL, timeframe, candle[0])).at(-1);
      // The minute in progress may have ended in between.
      if (fetched[0] === candle[0]) expect(candle).to.deep.equal(fetched);
      await watch('unWatchOHLCV', SYMBOL, timeframe);
    });
  }

  it('watches a ticker', async () => {
    const setPrice = (px: string) => shared.stack.market.control({ op: 'setPrice', coin: COIN, px });
    await setPrice('620');
    let ticker = await watch('watchTicker', SYMBOL);
    while (ticker.last !== 620) ticker = await watch('watchTicker', SYMBOL);
    expect(ticker).to.include({ symbol: SYMBOL, last: 620 });
    await watch('unWatchTicker', SYMBOL);
  });

  it('watches all tickers', async () => {
    const tickers = await watch('watchTickers', [SYMBOL]);
    expect(Object.keys(tickers)).to.deep.equal([SYMBOL]);
    expect(tickers[SYMBOL].last).to.be.above(0);
    await watch('unWatchTickers');
  });
});
