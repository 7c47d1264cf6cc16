// An answer that was given is given again only while the same would be read of the market: whatever of it changes, a view answers as
// the account's owner.
import { expect } from 'chai';
import type { AccountQuery } from '../../../../src/actors/core/messages/command.ts';
import { AccountViews } from '../../../../src/api/accounts/views/accountViews.ts';
import { SeenMarket } from '../../../../src/api/accounts/views/seenMarket.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import type { MarketView } from '../../../../src/market/domain/marketView.ts';
import { ADDRESS, ExchangeInMemory } from '../../../support/exchangeInMemory.ts';
import { orderAction } from '../../../support/orderWire.ts';

const HOUR_MS = 3_600_000;
const COINS = ['BTC', 'ETH'] as const;
const DEEP = '1000';

describe('views: what of the market an answer was made of', () => {
  let exchange: ExchangeInMemory;
  let views: AccountViews;

  beforeEach(async () => {
    exchange = new ExchangeInMemory();
    exchange.nowMs = Math.ceil(exchange.nowMs / HOUR_MS) * HOUR_MS + 1000;
    quote();
    views = newViews();
    for (const coin of COINS) {
      await exchange.exchange(orderAction(exchange.assetId(coin), { px: '101', sz: '1', tif: 'Ioc' }));
    }
  });

  const newViews = (): AccountViews => {
    const { gateway, log } = exchange.services;
    return new AccountViews({
      ...{ rules: tradingRules, gateway, log, market: exchange.market, now: () => exchange.nowMs },
      versions: { read: async () => exchange.version },
      config: { VIEWS_MAX_BYTES: 1e8 },
    });
  };
  const questions = (): AccountQuery[] => [
    { kind: 'accountState' },
    { kind: 'summary' },
    { kind: 'assetData', asset: exchange.assetId('BTC') },
  ];
  /** The same prices, of now. */
  const quote = (): void => {
    for (const coin of COINS) exchange.setMarket(coin, { mark: '100', bids: [['99', DEEP]], asks: [['100', DEEP]] });
  };
  const setRate = (coin: string, hourMs: number): void =>
    exchange.market.apply({ type: 'funding', coin, sinceMs: hourMs - HOUR_MS, hours: [[hourMs, '0.01', '100']] });
  /** The answers of views and of the owner. */
  const asked = async (): Promise<string> => {
    const answers = [];
    for (const query of questions()) {
      const answer = await views.ask(ADDRESS, query, { requestId: '' });
      expect(answer).to.deep.equal(await exchange.services.gateway.ask(ADDRESS, query, { requestId: '' }));
      answers.push(answer);
    }
    return JSON.stringify(answers);
  };
  const warm = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) await asked();
    const { hits } = views.figures;
    await asked();
    expect(views.figures.hits - hits).to.equal(questions().length);
  };

  it('the funding of an hour, also where another coin’s was known before', async () => {
    exchange.nowMs += HOUR_MS;
    quote();
    await warm();
    const hourMs = Math.floor(exchange.nowMs / HOUR_MS) * HOUR_MS;
    const texts = [await asked()];
    for (const coin of COINS.toReversed()) {
      setRate(coin, hourMs);
      texts.push(await asked());
    }
    expect(new Set(texts).size).to.equal(3);
    expect(views.figures.misses.get('none')).to.be.lessThan(4);
  });

  it('what the venue lists of a coin', async () => {
    await warm();
    const before = await asked();
    const meta = structuredClone(exchange.market.rawMeta);
    const coin = meta?.universe.find(({ name }) => name === 'BTC');
    if (meta === undefined || coin === undefined) throw new Error('no BTC');
    exchange.market.apply({
      type: 'meta',
      meta: { ...meta, universe: meta.universe.map((one) => (one === coin ? { ...one, maxLeverage: 3 } : one)) },
    });
    expect(await asked()).not.to.equal(before);
  });

  it('what changes all the time makes an answer of one moment', () => {
    const market = new SeenMarket(exchange.market);
    const reads: ((seen: MarketView) => unknown)[] = [
      (seen) => seen.prices(0)?.oraclePrice,
      (seen) => seen.prices(0)?.midPrice,
      (seen) => seen.prices(0)?.timeMs,
      (seen) => seen.book(0),
      (seen) => seen.feedTimeMs(0),
      (seen) => seen.settlementPrice(0),
      (seen) => seen.assetOf('BTC'),
      ({ tick }) => tick,
    ];
    for (const read of reads) expect(market.isAsSeen(market.watch(() => read(market)).seen), String(read)).to.equal(false);
    expect(market.isAsSeen(market.watch(() => market.prices(0)?.markPrice).seen)).to.equal(true);
  });
});
