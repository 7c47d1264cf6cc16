import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { widthBesideScreen } from '../../support/browser/inPage.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import { BTC } from '../../support/faults/coins.ts';
import { until } from '../../support/until.ts';

const NAMES = [
  '<img src=x onerror=alert(1)><b>bold</b>',
  '"><script>alert(1)</script>',
  'مفتاح البوت',
  '\u202eevil.exe',
  '🤖👩‍🚀 rocket',
  'javascript:alert(1)',
];

describe('dashboard: texts of readers are text, numbers are the API’s in every language', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  useDashboard((started) => {
    dashboard = started;
  });

  it('names of keys with markup, Arabic, emoji and turned text stand as they were given', async () => {
    // A plan includes few keys, so the names belong to keys of several accounts.
    for (const names of [NAMES.slice(0, 2), NAMES.slice(2, 4), NAMES.slice(4)]) {
      const account = await dashboard.stack.register();
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${account.token}` };
      for (const name of names) {
        const request = { method: 'POST', headers, body: JSON.stringify({ name }) };
        const answer = await fetch(`${dashboard.stack.baseUrl}/v1/auth/api-keys`, request);
        expect(answer.ok, `${name}: ${answer.status}`).to.equal(true);
      }
      const reader = await dashboard.openAs(account, '/keys');
      const table = reader.page.getByRole('table', { name: 'API keys' });
      await table.waitFor();
      expect(await table.locator('bdi').allTextContents()).to.include.members([...names]);
      expect(await table.locator('img, script, b').count()).to.equal(0);
    }
  });

  it('a browser in German, English or Egyptian Arabic shows and copies the same digits', async () => {
    const account = await dashboard.stack.register();
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.123', tif: 'Ioc' });
    const shown: string[] = [];
    for (const locale of ['de', 'en', 'ar-EG']) {
      const reader = await dashboard.openAs(account, '/positions', { locale });
      await until(async () => (await reader.rows('Open positions')).length === 1);
      const [row = ''] = await reader.rows('Open positions');
      shown.push(row);
      await reader.goto('/fills');
      await until(async () => (await reader.rows('Fills, newest first')).length > 0);
      shown.push((await reader.rows('Fills, newest first')).join('\n'));
      expect(row).to.include('0.123').and.to.match(/−\d/);
    }
    const [positions, fills, ...others] = shown;
    for (const [index, text] of others.entries()) expect(text).to.equal(index % 2 === 0 ? positions : fills);
  });

  it('fifty positions and five hundred orders on a screen of 320 pixels', async () => {
    const account = await dashboard.stack.register();
    const { stack } = dashboard;
    await stack.act(account.apiKey, { type: 'updateLeverage', asset: BTC.asset, isCross: true, leverage: 20 });
    const [{ universe }, contexts] = await stack.ask(account.apiKey, { type: 'metaAndAssetCtxs' });
    const coins = universe
      .map(({ szDecimals, isDelisted }: Listing, asset: number) => ({
        asset,
        szDecimals,
        isDelisted,
        mark: Number(contexts[asset].markPx),
      }))
      .filter(({ isDelisted, mark }: { isDelisted?: boolean; mark: number }) => !isDelisted && mark > 0)
      .slice(0, 50);
    expect(coins).to.have.length(50);
    for (const { asset, szDecimals, mark } of coins) {
      const step = 10 ** -szDecimals;
      const sz = (Math.ceil(12 / mark / step) * step).toFixed(szDecimals);
      const price = (factor: number): string => String(Number((mark * factor).toPrecision(4)));
      const resting = Array.from({ length: 10 }, (_, i) => ({ px: price(0.9 - i * 0.001), sz }));
      await dashboard.order(account, asset, { px: price(1.04), sz, tif: 'Ioc' }, ...resting);
    }
    const reader = await dashboard.openAs(account, '/positions', { width: 320 });
    await until(async () => (await reader.rows('Open positions')).length === 50);
    expect(await reader.page.evaluate(widthBesideScreen)).to.equal(0);
    await reader.goto('/orders');
    await reader.sees('1 to 50 of 500');
    expect(await reader.rows('Open orders')).to.have.length(50);
    expect(await reader.page.evaluate(widthBesideScreen)).to.equal(0);
    // The page still answers: an order is canceled.
    await reader.page.getByRole('button', { name: 'Cancel', exact: true }).last().click();
    await reader.page.getByRole('button', { name: 'Cancel it' }).click();
    await reader.sees('1 to 50 of 499');
  });
});

interface Listing {
  readonly szDecimals: number;
  readonly isDelisted?: boolean;
}
