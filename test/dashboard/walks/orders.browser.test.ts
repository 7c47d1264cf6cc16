import { expect } from 'chai';
import { percent, usd } from '../../../src/dashboard/domain/texts.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

describe('dashboard: what happens to positions and orders is shown as it is', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
  });

  // biome-ignore lint/suspicious/noExplicitAny: as in Answer
  const get = async (path: string): Promise<any> => {
    const headers = { authorization: `Bearer ${account.token}` };
    return (await fetch(`${dashboard.stack.baseUrl}/v1/exchanges/perpx/account/${path}`, { headers })).json();
  };

  const openReason = async (oid: number): Promise<string> =>
    (await dashboard.stack.ask(account.apiKey, { type: 'explainOrder', oid })).open?.reason;

  it('a price moves: value, PnL, entry, liquidation with its distance, and the end of the curve are those of the API, to the digit', async () => {
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.3', tif: 'Ioc' });
    const reader = await dashboard.openAs(account);
    await dashboard.stack.market.control({ op: 'setPrice', coin: 'BTC', px: '66123.5' });
    await until(async () => (await get('overview')).unrealized_pnl.startsWith('3'));
    const { account_value, unrealized_pnl } = await get('overview');
    const {
      items: [position],
    } = await get('positions');
    const value = reader.page.locator('header dd data').first();
    await until(async () => (await value.getAttribute('value')) === account_value);
    expect(await value.textContent()).to.equal(usd(account_value));
    const [row = ''] = await reader.rows('Open positions');
    for (const text of [usd(unrealized_pnl, { isSigned: true }), position.size]) expect(row).to.include(text);
    const exact = await reader.page.getByRole('table', { name: 'Open positions' }).locator('td data').evaluateAll(valuesOf);
    expect(exact).to.include.members([position.size, position.entry_price, position.liquidation_price, unrealized_pnl]);
    const mark = Number(position.mark_price);
    const distance = Math.abs(mark - Number(position.liquidation_price)) / mark;
    expect(row).to.include(percent(distance, { decimals: 1 }));
    const curve = reader.page.getByRole('figure').filter({ hasText: 'without deposits' });
    expect(await curve.getByRole('img').getAttribute('aria-label')).to.include(` to ${usd(account_value)} USD`);
    await curve.getByRole('button', { name: 'Show as table' }).click();
    const points = reader.page.getByRole('table', { name: 'Equity, 1d' }).locator('td data');
    expect(await points.first().getAttribute('value')).to.equal(account_value);
  });

  it('a public trade fills a resting order: the row moves, and the evidence is that trade', async () => {
    const [resting] = await dashboard.order(account, SOL.asset, { px: '99', sz: '0.7' });
    const oid = resting?.resting?.oid ?? 0;
    const reader = await dashboard.openAs(account, '/markets/SOL');
    await until(async () => (await reader.rows('Open orders')).length === 1);
    await reader.page.getByRole('img', { name: /no own fills$/ }).waitFor();
    await reader.follow('Orders');
    await until(async () => (await reader.rows('Orders, newest first')).some((row) => row.includes('open')));
    await dashboard.stack.market.control({ op: 'trade', coin: 'SOL', px: '98.5', sz: '3.25', side: 'A', keepBook: true });
    await reader.sees('No open order.');
    // The list of all orders hears of it by itself.
    await until(async () => (await reader.rows('Orders, newest first')).some((row) => row.includes('filled')));

    await reader.goto('/markets/SOL');
    await reader.page.getByRole('img', { name: /, 1 own fill$/ }).waitFor();
    await reader.page.locator('figure.candles').getByRole('button', { name: 'Show as table' }).click();
    const counts = async (): Promise<(string | undefined)[]> =>
      (await reader.rows('the newest 50 candles')).map((row) => row.split(' | ').at(-1));
    await until(async () => (await counts()).length > 0);
    expect((await counts()).filter((count) => count !== '0')).to.deep.equal(['1']);

    await reader.follow('Fills');
    await until(async () => (await reader.rows('Fills, newest first')).length === 1);
    await reader.page.getByTitle('What this fill was made of').click();
    await reader.page.waitForURL(/\/fills\/\d+$/);
    await reader.sees(/Public trade/);
    const evidence = await reader.page.locator('.evidence data').evaluateAll(valuesOf);
    expect(evidence).to.include.members(['3.25', '98.5']);
    expect(await reader.page.getByRole('link', { name: String(oid) }).getAttribute('href')).to.equal(`/orders/${oid}`);
  });

  it('an order waits behind others and says so, then it is at the front of the queue', async () => {
    const [resting] = await dashboard.order(account, SOL.asset, { px: '99.95', sz: '1' });
    const oid = resting?.resting?.oid ?? 0;
    const reader = await dashboard.openAs(account, `/orders/${oid}`);
    const why = (reason: string) => reader.page.locator(`section[data-reason=${reason}]`);
    await why('inQueue').waitFor();
    await why('inQueue').getByRole('cell', { name: '2.0', exact: true }).waitFor();
    await dashboard.stack.market.control({ op: 'trade', coin: 'SOL', px: '99.95', sz: '2', side: 'A', keepBook: true });
    await until(async () => (await openReason(oid)) === 'frontOfQueue');
    // Nothing but the queue has moved: no order, no fill, no price. The page asks again by itself, and once.
    await why('frontOfQueue').waitFor();
    expect(reader.requests.filter((request) => request.endsWith('/info'))).to.have.length(2);
    // Then the price alone: the book around the order is the book of now.
    await dashboard.stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.95', '2']], asks: [['100.25', '2']] });
    await why('frontOfQueue').getByRole('cell', { name: '100.25', exact: true }).waitFor();
  });

  it('a position is liquidated: its row goes, and the fill says what it was', async () => {
    await dashboard.stack.act(account.apiKey, { type: 'updateLeverage', asset: BTC.asset, isCross: true, leverage: 40 });
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '5', tif: 'Ioc' });
    const reader = await dashboard.openAs(account, '/positions');
    await until(async () => (await reader.rows('Open positions')).length === 1);
    const bids = [['63000', '100']] as const;
    await dashboard.stack.market.control({ op: 'setBook', coin: 'BTC', bids, asks: [['63010', '100']] });
    await dashboard.stack.market.control({ op: 'setPrice', coin: 'BTC', px: '63005' });
    await reader.sees('No position.');
    const fills = await dashboard.stack.ask(account.apiKey, { type: 'userFills' });
    const takeOver = fills.find(({ liquidation }: { liquidation?: object }) => liquidation !== undefined);
    await reader.page.getByRole('button', { name: /^Notifications, \d new$/ }).click();
    const texts = (): Promise<string[]> => reader.page.locator('.notices li a').allTextContents();
    const sold = `Sold 5.0 BTC at ${takeOver.px}`;
    await until(
      async () => (await texts()).includes(sold) && (await texts()).some((text) => /^Liquidation \(cross\): 5 BTC; /.test(text)),
    );
    await reader.page.getByRole('link', { name: sold }).click();
    await reader.page.waitForURL(`**/fills/${takeOver.tid}`);
    for (const text of ['Taken over by the house', 'the house took the position over']) await reader.sees(text);
    await reader.follow('Fills');
    await until(async () => (await reader.rows('Fills, newest first')).some((row) => /Liquidated Cross Long/.test(row)));
    expect(await reader.rows('Fills, newest first')).to.have.length(fills.length);
  });
});

/** Of `data` elements: the exact texts of the server behind what is shown. */
const valuesOf = (elements: readonly { getAttribute(name: string): string | null }[]): (string | null)[] =>
  elements.map((element) => element.getAttribute('value'));
