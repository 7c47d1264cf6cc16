import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const FILLS = 'Fills, newest first';

describe('dashboard: an account that is reset by a bot while its pages are open', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });

  it('every page drops what was before, says so once, and goes on with what comes', async () => {
    account = await dashboard.stack.register();
    await dashboard.order(account, SOL.asset, { px: '101', sz: '2', tif: 'Ioc' });
    const [{ resting } = {}] = await dashboard.order(account, BTC.asset, { px: '64000', sz: '0.1' });
    const fills = await dashboard.openAs(account, '/fills');
    const [overview, orders, order, funding] = await Promise.all(
      ['/overview', '/orders', `/orders/${resting?.oid}`, '/performance'].map(async (path) => {
        const tab = await dashboard.tabOf(fills);
        await tab.goto(path);
        return tab;
      }),
    );
    const tabs = [fills, overview, orders, order, funding] as WatchedPage[];
    for (const tab of tabs) await tab.sees('live');
    await until(async () => (await fills.rows(FILLS)).length > 0);
    await until(async () => (await overview?.rows('Open positions'))?.length === 1);
    await until(async () => (await orders?.rows('Orders, newest first'))?.length === 2);
    await order?.sees('Why it is open');
    const loads = tabs.map((tab) => documents(tab));

    const headers = { 'X-API-Key': account.apiKey, 'content-type': 'application/json' };
    const path = `${dashboard.stack.baseUrl}/v1/exchanges/perpx/account/reset`;
    expect((await fetch(path, { method: 'POST', headers, body: '{}' })).status).to.equal(200);

    await fills.sees('No fill yet.');
    for (const text of ['No position.', 'No fill yet.']) await overview?.sees(text);
    await orders?.sees('No order fits');
    // The order of before is none of the account's.
    await order?.page.waitForURL(/\/orders$/);
    await order?.sees('No order fits');
    await dashboard.order(account, SOL.asset, { px: '101', sz: '3', tif: 'Ioc' });
    await until(async () => (await fills.rows(FILLS)).length > 0);
    const told = await dashboard.stack.ask(account.apiKey, { type: 'userFills' });
    await until(async () => (await fills.rows(FILLS)).length === told.length);
    await until(async () => (await overview?.rows(FILLS))?.length === told.length);
    for (const [i, tab] of tabs.entries()) {
      await tab.page.getByRole('button', { name: /^Notifications/ }).click();
      const notices = await tab.page.locator('.notices li a').allTextContents();
      expect(notices.filter((text) => /reset|reloaded/.test(text))).to.deep.equal(['The account was reset.']);
      expect(documents(tab), 'loads').to.equal(loads[i]);
    }
  });
});

/** The number of loads of a page: a page that goes on by itself is loaded once. */
const documents = ({ requests }: WatchedPage): number =>
  requests.filter((request) => /^GET \/[a-z]+(\/\d+)?$/.test(request)).length;
