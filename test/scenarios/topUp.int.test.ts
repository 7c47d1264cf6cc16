// An account that has lost nearly everything asks for a top-up on many connections at once, beside orders: one
// deposit comes, up to the plan's current balance, and the position stays.
import { expect } from 'chai';
import type { Answer } from '../support/stack.ts';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

const COIN = 'SOL';

describe('top-up while orders fly', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
    trader = await exchange.trader();
  });

  const post = async (path: string, body: object = {}): Promise<Answer> => {
    const headers = { 'x-api-key': trader.account.apiKey, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${exchange.stack.baseUrl}${path}`, init);
    return { status: response.status, body: await response.json(), headers: response.headers };
  };

  it('of twenty at once one deposits', async () => {
    await exchange.book(COIN, { bids: [['99', '500']], asks: [['101', '500']], mark: '100' });
    expect((await post('/v1/exchanges/perpx/account/set-balance', { balance: 1000 })).status).to.equal(200);
    expect(await trader.leverage(COIN, 5)).to.equal('ok');
    await trader.place({ coin: COIN, px: '101', sz: '39', tif: 'Ioc' });
    expect((await post('/v1/auth/account/reset')).body.code).to.equal('balance_too_high');
    // 1000 - 1.77255 of fees - 39 * 23.2 = 93.42745, above the maintenance margin of some 76.
    await exchange.mark(COIN, '77.8');
    expect((await trader.info('clearinghouseState')).marginSummary.accountValue).to.equal('93.42745');

    const topUps = Array.from({ length: 20 }, () => post('/v1/auth/account/reset'));
    const orders = Array.from({ length: 10 }, () => trader.act(trader.orderAction({ coin: COIN, px: '70', sz: '1' })));
    const answers = await Promise.all(topUps);
    for (const { status } of await Promise.all(orders)) expect(status).to.equal(200);
    const granted = answers.filter(({ status }) => status === 200);
    // The balance has no unrealized PnL in it: 39 * (101 - 77.8) more than the account value.
    expect(granted.map(({ body }) => [body.balance, body.change])).to.deep.equal([['10904.8', '9906.57255']]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.detail])).to.deep.equal(
      Array.from({ length: 19 }, () => [400, 'Balance too high for reset']),
    );
    const ledger = await trader.info('userNonFundingLedgerUpdates', { startTime: 0 });
    expect(ledger.map(({ delta }: { delta: { type: string; usdc: string } }) => [delta.type, delta.usdc])).to.deep.equal([
      ['deposit', '10000.0'],
      ['withdraw', '9000.0'],
      ['deposit', '9906.57255'],
    ]);
    expect((await trader.info('clearinghouseState')).marginSummary.accountValue).to.equal('10000.0');
    expect((await trader.position(COIN)).szi).to.equal('39.0');
    await trader.expectConsistent();
  });
});
