// What a dashboard reads of real actors: its own writes at once, figures out of the rows that clients see, and rows that
// MongoDB does not have yet beside those that it has.
import { expect } from 'chai';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

describe('dashboard through the API', function () {
  this.timeout(60_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
    trader = await exchange.trader();
    await exchange.book('SOL', { bids: [['99', '50']], asks: [['101', '50']], mark: '100' });
  });
  afterEach(() => trader.expectConsistent());

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  async function read(path: string): Promise<any> {
    const headers = { 'x-api-key': trader.account.apiKey };
    const response = await fetch(`${exchange.stack.baseUrl}/v1/exchanges/perpx/account/${path}`, { headers });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return JSON.parse(text);
  }

  it('a fill is in every list and figure as soon as it is acknowledged', async () => {
    await trader.place({ coin: 'SOL', px: '101', sz: '2', tif: 'Ioc' });
    const resting = await trader.rest({ coin: 'SOL', px: '90', sz: '1' });
    await exchange.mark('SOL', '110');
    await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '1', tif: 'Ioc' });

    const { items: fills } = await read('fills');
    // Fees: 202 and 99 at 0.045 %.
    const shown = fills.map((fill: Record<string, string>) => [
      fill['direction'],
      fill['price'],
      fill['fee'],
      fill['closed_pnl'],
    ]);
    expect(shown).to.deep.equal([
      ['Close Long', '99.0', '0.04455', '-2.0'],
      ['Open Long', '101.0', '0.0909', '0.0'],
    ]);
    const { items: orders } = await read('orders');
    expect(orders.map(({ status, average_price: average }: Record<string, unknown>) => [status, average])).to.deep.equal([
      ['filled', '99.0'],
      ['open', null],
      ['filled', '101.0'],
    ]);
    expect((await read('orders/open')).items.map(({ oid }: { oid: number }) => oid)).to.deep.equal([resting]);

    const overview = await read('overview');
    expect(overview).to.deep.include({ realized_pnl: '-2.0', fees_paid: '0.13545', unrealized_pnl: '9.0', open_orders: 1 });
    expect(overview).to.deep.include({ balance: '9997.86455', account_value: '10006.86455' });
    expect((await read('positions')).items).to.deep.equal(overview.positions);
    expect(await read('analytics')).to.deep.include({
      ...{ net_pnl: '-2.13545', gross_pnl: '-2.0', fees: '0.13545', funding: '0.0', volume: '301.0', trades: 1, win_rate: '0.0' },
      // 1 beyond the mid of 100 for each of three coins.
      ...{ slippage: '3.0', slippage_bps: '100.0', maker_share: '0.0' },
    });
    const { points } = await read('equity-curve');
    expect(points.map(({ equity, balance }: Record<string, string>) => [equity, balance])).to.deep.equal([
      ['10000.0', '10000.0'],
      ['9997.9091', '9999.9091'],
      ['10006.86455', '9997.86455'],
      ['10006.86455', '9997.86455'],
    ]);
  });
});
