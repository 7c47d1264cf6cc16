import { expect } from 'chai';
import { AccountViews } from '../../../../src/api/accounts/views/accountViews.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { ExchangeInMemory } from '../../../support/exchangeInMemory.ts';
import { newestFormats } from '../../../support/formats.ts';
import { orderAction } from '../../../support/orderWire.ts';

const COINS = 20;
const DEEP = '1000000';
/** Answers of one view that are remembered at most, and those whose bytes are in the account's. */
const [REMEMBERED, USUAL] = [16, 3];

describe('bytes of a view', () => {
  it('each coin whose leverage is asked for counts, until the account has changed', async () => {
    const exchange = new ExchangeInMemory();
    for (let asset = 0; asset < COINS; asset++) {
      exchange.setMarket(exchange.coinOf(asset), { mark: '100', bids: [['99', DEEP]], asks: [['101', DEEP]] });
    }
    const { gateway, log } = exchange.services;
    const { accountId } = exchange.call.caller;
    const views = new AccountViews({
      ...{ rules: tradingRules, gateway, log, market: exchange.market, formats: newestFormats, now: () => exchange.nowMs },
      versions: { read: async () => exchange.version },
      config: { VIEWS_MAX_BYTES: 1e8 },
    });
    const bytesAfter = async (asset: number): Promise<number> => {
      await views.ask(accountId, { kind: 'assetData', asset }, { requestId: '' });
      return views.figures.bytes;
    };
    await exchange.exchange(orderAction(0, { px: '90', sz: '1' }));
    for (let n = 0; n < 3; n++) await bytesAfter(0);
    const first = await bytesAfter(0);
    const grown: number[] = [];
    for (let asset = 1; asset < COINS; asset++) grown.push((await bytesAfter(asset)) - first);
    const each = grown[USUAL - 1] ?? 0;
    expect(each).to.be.greaterThan(500);
    const wanted = grown.map((_, n) => each * Math.max(0, Math.min(n + 2, REMEMBERED) - USUAL));
    expect(grown).to.deep.equal(wanted);
    await exchange.exchange(orderAction(0, { px: '91', sz: '1' }));
    const [entry] = exchange.entries.slice(-1);
    if (entry) views.onFollowed({ token: exchange.version.token, nextDueMs: null, entry: structuredClone(entry) });
    expect(views.figures.folded).to.equal(1);
    expect(views.figures.bytes - first, 'an order more, and no answers').to.be.within(1, 3 * each);
  });
});
