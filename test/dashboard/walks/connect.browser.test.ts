import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import { BTC } from '../../support/faults/coins.ts';
import { orderAction } from '../../support/orderWire.ts';

describe('dashboard: from nothing to a connected bot', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  useDashboard((started) => {
    dashboard = started;
  });

  it('registers, shows the key once, and turns green at the bot’s first request and at its first fill', async () => {
    const { stack } = dashboard;
    const reader = await dashboard.open();
    const { page } = reader;
    await reader.goto('/register');
    await page.getByLabel('E-mail').fill(`walk-${crypto.randomUUID()}@example.com`);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Make the account' }).click();
    await page.waitForURL(`${stack.baseUrl}/connect`);
    await page.getByRole('button', { name: 'Make a key for the bot' }).click();
    const base = (await page.locator('code.block').first().textContent())?.trim() ?? '';
    expect(base).to.match(new RegExp(`^${stack.baseUrl}/v1/exchanges/perpx/key/[\\w-]{20,}$`));
    await reader.sees('Waiting for the bot’s first request …');

    const headers = { 'content-type': 'application/json' };
    const ask = (path: string, body: object) => fetch(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect((await ask('info', { type: 'clearinghouseState' })).status).to.equal(200);
    await reader.sees('The bot has connected.');
    await reader.sees('Waiting for the first fill …');

    const action = orderAction(BTC.asset, { px: '66000', sz: '0.001', tif: 'Ioc' });
    expect((await ask('exchange', { action, nonce: Date.now() })).status).to.equal(200);
    await reader.sees('An order has filled.');

    await reader.follow('Keys');
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    const key = base.split('/').at(-1) ?? '';
    expect(await page.content()).not.to.include(key);
  });
});
