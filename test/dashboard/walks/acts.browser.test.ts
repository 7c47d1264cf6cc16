import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { focusedText } from '../../support/browser/inPage.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** No page has so many places for the focus: a test that looks for a missing place ends. */
const TABS_MAX = 120;

describe('dashboard: what readers do is done once, with or without a mouse', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
  });

  it('a double click closes a position by one order', async () => {
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.2', tif: 'Ioc' });
    const reader = await dashboard.openAs(account, '/positions');
    await reader.page.getByRole('button', { name: 'Close', exact: true }).click();
    await reader.page.getByRole('button', { name: 'Close it' }).dblclick();
    await reader.sees('No position.');
    expect(reader.requests.filter((request) => request.startsWith('POST') && request.endsWith('/exchange'))).to.have.length(1);
    const orders = await dashboard.stack.ask(account.apiKey, { type: 'historicalOrders' });
    expect(orders.filter(({ order }: { order: { reduceOnly: boolean } }) => order.reduceOnly)).to.have.length(1);
  });

  it('with the keyboard alone: logs in, cancels an order, revokes a key', async () => {
    await dashboard.order(account, SOL.asset, { px: '99', sz: '1' });
    const reader = await dashboard.open();
    const { keyboard } = reader.page;
    await reader.goto('/login');
    await reader.page.getByLabel('E-mail').waitFor();
    await tabTo(reader, 'E-mail');
    await keyboard.type(account.email);
    await tabTo(reader, 'Password');
    await keyboard.type(account.password);
    await keyboard.press('Enter');
    await reader.page.waitForURL(/\/overview$/);

    await reader.page.getByRole('table', { name: 'Open orders' }).waitFor();
    await press(reader, 'Orders');
    await reader.page.waitForURL(/\/orders$/);
    await reader.page.getByRole('table', { name: 'Open orders' }).waitFor();
    await press(reader, 'Cancel');
    await reader.page.getByRole('dialog').waitFor();
    await press(reader, 'Cancel it');
    await reader.sees('No open order.');
    expect(await dashboard.stack.ask(account.apiKey, { type: 'openOrders' })).to.deep.equal([]);

    await press(reader, 'Keys');
    await reader.page.getByRole('table', { name: 'API keys' }).waitFor();
    await press(reader, 'Revoke');
    await reader.page.getByRole('dialog').waitFor();
    await press(reader, 'Revoke it');
    await until(async () => (await reader.rows('API keys')).every((row) => row.includes('revoked')));
    expect((await dashboard.stack.info(account.apiKey, { type: 'openOrders' })).status).to.equal(401);
  });
});

/** Moves the focus by Tab until it is on what is called so. */
async function tabTo(reader: WatchedPage, name: string): Promise<void> {
  const seen: string[] = [];
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    const text = await reader.page.evaluate(focusedText);
    if (text === name) return;
    seen.push(text);
    await reader.page.keyboard.press('Tab');
  }
  throw new Error(`the focus never comes to "${name}"; it came to ${[...new Set(seen)].join(', ')}`);
}

async function press(reader: WatchedPage, name: string): Promise<void> {
  await tabTo(reader, name);
  await reader.page.keyboard.press('Enter');
}
