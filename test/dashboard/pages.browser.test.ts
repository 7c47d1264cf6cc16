import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { PAGE_PATHS } from '../../src/api/pages/pagePaths.ts';
import { accessibilityFaults } from '../support/browser/accessibility.ts';
import type { DashboardStack } from '../support/browser/dashboardStack.ts';
import { isDrawnAnew, keepTheme, widthBesideScreen } from '../support/browser/inPage.ts';
import { useDashboard } from '../support/browser/useDashboard.ts';
import type { WatchedPage } from '../support/browser/watchedPage.ts';
import { BTC, ETH, SOL } from '../support/faults/coins.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Pictures of every page for people to look at; CI keeps them. */
const PICTURES = fileURLToPath(new URL('../../var/test/screenshots', import.meta.url));
const WIDTHS = [320, 768, 1280, 3840] as const;
const PICTURED: readonly number[] = [320, 1280];
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Beside addresses that only the dashboard has: addresses that are there without it, too. */
const ALL_PAGES = {
  ...PAGE_PATHS,
  billing: { path: '/billing' },
  resetPassword: { path: '/reset-password?token=0123456789abcdef' },
  verifyEmail: { path: '/verify-email?token=0123456789abcdef' },
};

describe('dashboard: every page, in both themes, from 320 to 3,840 pixels', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  /** The value for the parameter of an address. A page with a parameter that is not here fails. */
  const parameters = new Map<string, string | number>();
  const readers = new Map<string, WatchedPage>();
  useDashboard((started) => {
    dashboard = started;
  });

  before(async () => {
    rmSync(PICTURES, { recursive: true, force: true });
    mkdirSync(PICTURES, { recursive: true });
    account = await dashboard.stack.register();
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.5', tif: 'Ioc' });
    await dashboard.order(account, ETH.asset, { buy: false, px: '1990', sz: '3', tif: 'Ioc' });
    await dashboard.order(account, SOL.asset, { px: '101', sz: '20', tif: 'Ioc' });
    await dashboard.order(account, SOL.asset, { buy: false, px: '99', sz: '5', tif: 'Ioc' });
    const [waiting] = await dashboard.order(account, BTC.asset, { px: '64000', sz: '0.1' }, { px: '63000', sz: '0.2' });
    const [{ tid }] = await dashboard.stack.ask(account.apiKey, { type: 'userFills' });
    await makeAccounts();
    // The pages of operators are shown to operators only.
    const users = dashboard.stack.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: account.userId }, { $set: { roles: ['operator'] } });
    const { body } = await dashboard.stack.call('GET', '/v1/auth/api-keys', { token: account.token });
    const [{ id }] = body.api_keys;
    const scripts = [{ cloidPrefix: '0xdead', refuse: 'insufficientMargin' }];
    const lab = { preset: 'jitter', faults: { '429': 0 }, scripts, schedule: [{ from: '2026-01-01T00:00:00.000Z', forMs: 1 }] };
    await dashboard.stack.call('PUT', `/v1/auth/api-keys/${id}/lab`, { token: account.token, body: lab });
    await makeAlerts();
    parameters
      .set('/keys/:id', id)
      .set('/admin/users/:id', account.userId)
      .set('/orders/:oid', waiting?.resting?.oid ?? '')
      .set('/fills/:tid', tid)
      .set('/markets/:coin', BTC.coin);
  });

  for (const [name, { path }] of Object.entries(ALL_PAGES)) {
    it(path, () => Promise.all(THEMES.map((theme) => lookAt(theme, path, name.replace(/Page$/, '')))));
  }

  /** Endpoints of alerts that nobody answers at: a waiting delivery, a dead letter, a paused endpoint. */
  async function makeAlerts(): Promise<void> {
    const { stack } = dashboard;
    const call = (path: string, body: object) => stack.call('POST', path, { token: account.token, body });
    for (const kinds of [['fill', 'order_ended', 'margin', 'drawdown', 'bot_silent', 'trial_end'], ['new_key']]) {
      const url = `https://${'a-long-name.'.repeat(10)}example.invalid/hook`;
      const { body } = await call('/v1/alerts/endpoints', { url, kinds });
      await call(`/v1/alerts/endpoints/${body.endpoint.id}/test`, {});
    }
    const deliveries = stack.mongo.db.collection<{ _id: string }>('alertDeliveries');
    const [first] = await deliveries.find().limit(1).toArray();
    await deliveries.updateOne({ _id: first?._id ?? '' }, { $set: { state: 'dead', tries: 10, result: 'answered 500' } });
  }

  /** Sub-accounts that part ways: one with the market, one against it, one at rest. */
  async function makeAccounts(): Promise<void> {
    const { stack } = dashboard;
    for (const [name, usd, buy] of [
      ['grid', 3_000, true] as const,
      ['hedge <b>', 2_000, false] as const,
      ['سكالب', 500, undefined] as const,
    ]) {
      const made = await stack.act(account.apiKey, { type: 'createSubAccount', name });
      const vaultAddress: string = made.body.response.data;
      await stack.act(account.apiKey, {
        ...{ type: 'subAccountTransfer', subAccountUser: vaultAddress, isDeposit: true, usd: usd * 1_000_000 },
      });
      if (buy === undefined) continue;
      const order = { a: ETH.asset, b: buy, p: buy ? '2050' : '1950', s: '2', r: false, t: { limit: { tif: 'Ioc' } } };
      await stack.exchange(account.apiKey, { type: 'order', orders: [order], grouping: 'na' }, { envelope: { vaultAddress } });
    }
    await makeWhatIf();
  }

  /** A what-if that parts from its source at once. */
  async function makeWhatIf(): Promise<void> {
    const { stack } = dashboard;
    const ask = (type: string, user: string) => stack.ask(account.apiKey, { type, user });
    const overview = await stack.call('GET', '/v1/exchanges/perpx/account/overview', { key: account.apiKey });
    const terms = { fees: { maker: '0', taker: '0.001' }, fill_model: 'pessimistic' };
    const body = { name: 'what if <b>', seq: Number(overview.headers.get('x-account-seq')), what_if: terms };
    const { address } = (await stack.call('POST', '/v1/exchanges/perpx/account/fork', { key: account.apiKey, body })).body;
    await dashboard.order(account, SOL.asset, { buy: false, px: '99', sz: '1', tif: 'Ioc' });
    await until(async () => (await ask('userFills', address)).length > 0);
  }

  async function lookAt(theme: Theme, path: string, picture: string): Promise<void> {
    const reader = readers.get(theme) ?? (await openReader(theme));
    const { page } = reader;
    await page.setViewportSize({ width: 1280, height: 800 });
    await reader.followTo(addressOf(path));
    await isDrawn(reader);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(isDrawnAnew);
      const where = `${theme}, ${width}`;
      expect(await page.evaluate(widthBesideScreen), `pixels beside the screen: ${where}`).to.equal(0);
      expect(await accessibilityFaults(page), `for readers: ${where}`).to.deep.equal([]);
      if (!PICTURED.includes(width)) continue;
      await page.screenshot({ path: join(PICTURES, `${picture}-${theme}-${width}.png`), fullPage: true });
    }
    reader.requireNoFault();
  }

  /** One reader for all pages in a theme, who stays in one document: logging in, and loading each, are tested elsewhere. */
  async function openReader(theme: Theme): Promise<WatchedPage> {
    const reader = await dashboard.openAs(account, '/overview', { theme, isKept: true });
    await reader.page.evaluate(keepTheme, theme);
    await reader.page.reload();
    await isDrawn(reader);
    readers.set(theme, reader);
    return reader;
  }

  function addressOf(path: string): string {
    if (!path.includes(':')) return path;
    const value = parameters.get(path);
    if (value === undefined) throw new Error(`this test needs to know what stands in ${path}`);
    return path.replace(/:\w+/, String(value));
  }
});

/** Resolves when the page shows its heading, and everything that it has asked for. */
async function isDrawn({ page }: WatchedPage): Promise<void> {
  await page.locator('h1').waitFor();
  expect(await page.locator('h1').count(), 'headings of the first level').to.equal(1);
  await until(async () => (await page.locator('.loading:visible, [aria-busy=true]:visible').count()) === 0);
  expect(await page.locator('[role=alert]').allInnerTexts(), 'refusals').to.deep.equal([]);
}
