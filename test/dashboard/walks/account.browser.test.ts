import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { usd } from '../../../src/dashboard/domain/texts.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { isDrawnAnew } from '../../support/browser/inPage.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const STEP_MS = 30_000;
const REFRESH = 'POST /v1/auth/session/refresh';

describe('dashboard: readers govern their account', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
  });

  const worthOf = async ({ apiKey }: TestAccount): Promise<string> =>
    (await dashboard.stack.ask(apiKey, { type: 'clearinghouseState' })).marginSummary.accountValue;
  /** The account value above the page. */
  const shownValue = ({ page }: WatchedPage): Promise<string | null> =>
    page.locator('header dd data').first().getAttribute('value');

  it('sets the balance, and begins anew: what is lost is named, and a word is typed first', async () => {
    await dashboard.order(account, SOL.asset, { px: '101', sz: '1', tif: 'Ioc' });
    await dashboard.order(account, SOL.asset, { buy: false, px: '99', sz: '1', tif: 'Ioc', reduceOnly: true });
    const reader = await dashboard.openAs(account, '/account');
    reader.expects(/400/);
    const set = async (amount: string): Promise<void> => {
      await reader.page.getByLabel(/^Cash, /).fill(amount);
      await reader.page.getByRole('button', { name: 'Set the balance' }).click();
    };
    await set('999');
    await reader.page.getByRole('alert').waitFor();
    await set('25 000');
    await reader.sees(`It is ${usd('25000')} USD now.`);
    expect(Number(await worthOf(account))).to.equal(25_000);
    await until(async () => Number(await shownValue(reader)) === 25_000);

    await reader.page.getByRole('button', { name: 'Reset the account' }).click();
    const resets = reader.page.getByRole('button', { name: 'Reset it' });
    expect(await resets.isDisabled()).to.equal(true);
    await reader.page.getByLabel(/^Type /).fill('reset');
    await resets.click();
    await reader.page.waitForURL(/\/overview$/);
    await reader.sees('No fill yet.');
    expect(await dashboard.stack.ask(account.apiKey, { type: 'userFills' })).to.deep.equal([]);
    const { balance_usd: begins } = await planOf('basic');
    expect(Number(await worthOf(account))).to.equal(Number(begins));
  });

  it('sets fees, which stand beside the returns of every page', async () => {
    const reader = await dashboard.openAs(account, '/account');
    reader.expects(/400/);
    const terms = reader.page.getByRole('region', { name: 'Fees and fills' });
    const set = () => terms.getByRole('button', { name: 'Set the terms' }).click();
    await terms.getByRole('combobox', { name: /^Fees/ }).selectOption('own');
    await terms.getByLabel('Rate as maker').fill('-0.002');
    await set();
    await terms.getByRole('alert').waitFor();
    await terms.getByLabel('Rate as maker').fill('-0.00002');
    await set();
    await reader.sees('Fees: set by the user, -0.002 % as maker and 0.045 % as taker.');
    for (const page of ['/', '/performance', '/tearsheet']) {
      await reader.goto(page);
      await reader.sees('Fees: set by the user, -0.002 % as maker and 0.045 % as taker.');
    }
    await reader.goto('/account');
    await terms.getByRole('combobox', { name: /^Fees/ }).selectOption('default');
    await set();
    await reader.sees('Fees: the exchange’s own, 0.015 % as maker and 0.045 % as taker.');
  });

  it('sets house rules, sees what is broken, and takes them away', async () => {
    await dashboard.order(account, SOL.asset, { px: '101', sz: '1', tif: 'Ioc' });
    const reader = await dashboard.openAs(account, '/account');
    reader.expects(/400/);
    const rules = reader.page.getByRole('region', { name: 'House rules' });
    const set = () => rules.getByRole('button', { name: 'Set the rules' }).click();
    await rules.getByLabel('Percent; empty = no rule').fill('0');
    await set();
    await rules.getByRole('alert').waitFor();
    await rules.getByLabel('Percent; empty = no rule').fill('12.5');
    await rules.getByLabel('Names with commas; empty = no rule').fill('BTC, ETH');
    await set();
    await reader.sees('They hold now.');
    await until(async () => (await reader.rows('Broken rules, oldest first'))[0]?.startsWith('Coins: SOL') ?? false);
    const asked = await dashboard.stack.call('GET', '/v1/exchanges/perpx/account/rules', { token: account.token });
    expect(asked.body).to.deep.include({
      drawdown: { percent: '12.5', act: 'refuse' },
      coins: { only: ['BTC', 'ETH'], act: 'refuse' },
      daily_loss: null,
      hours: null,
    });
    const looksAgain = reader.page.waitForResponse(
      (answer) => answer.request().method() === 'GET' && answer.url().includes('/account/rules'),
    );
    // Typed text stays while the page reads the rules again.
    await set();
    await reader.sees('They hold now.');
    await rules.getByLabel('USD; empty = no rule').fill('77');
    await rules.getByLabel('When it is broken').first().selectOption('close');
    await looksAgain;
    await reader.page.evaluate(isDrawnAnew);
    expect(await rules.getByLabel('USD; empty = no rule').inputValue()).to.equal('77');
    expect(await rules.getByLabel('When it is broken').first().inputValue()).to.equal('close');
    await rules.getByLabel('USD; empty = no rule').fill('');
    await rules.getByLabel('Percent; empty = no rule').fill('');
    await rules.getByLabel('Names with commas; empty = no rule').fill('');
    await set();
    await until(async () => (await rules.getByText('Broken rules').count()) === 0);
  });

  it('tops up an account that has lost nearly all, and no other', async () => {
    const reader = await dashboard.openAs(account, '/account');
    await until(async () => (await shownValue(reader)) !== null);
    const topUp = reader.page.getByRole('button', { name: 'Top up' });
    expect(await topUp.isDisabled()).to.equal(true);
    await dashboard.stack.act(account.apiKey, { type: 'updateLeverage', asset: BTC.asset, isCross: true, leverage: 40 });
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '5', tif: 'Ioc' });
    const bids = [['63000', '100']] as const;
    await dashboard.stack.market.control({ op: 'setBook', coin: 'BTC', bids, asks: [['63010', '100']] });
    await dashboard.stack.market.control({ op: 'setPrice', coin: 'BTC', px: '63005' });
    await until(async () => Number(await worthOf(account)) < 100);
    await until(() => topUp.isEnabled());
    await topUp.click();
    const { balance_usd: begins } = await planOf('basic');
    await reader.sees(`It is ${usd(begins)} USD now.`);
    await until(async () => Number(await shownValue(reader)) === Number(begins));
    await until(() => topUp.isDisabled());
  });

  it('a second factor is turned on and asked for at the next login; a recovery code is good once', async () => {
    const reader = await dashboard.openAs(account, '/account');
    reader.expects(/401/);
    const factor = reader.page.getByRole('region', { name: 'Second factor' });
    await factor.getByLabel('Password', { exact: true }).fill(account.password);
    await factor.getByRole('button', { name: 'Turn it on' }).click();
    const secret = (await factor.locator('code').textContent()) ?? '';
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    // The code of the step before is good, too; that of now is left for the login.
    await factor.getByLabel('Six digits that the app shows').fill(totp.generate({ timestamp: Date.now() - STEP_MS }));
    await factor.getByRole('button', { name: 'Confirm' }).click();
    const recovery = ((await factor.locator('.once pre').textContent()) ?? '').split('\n');
    expect(recovery).to.have.length(10);
    await factor.getByText('10 recovery codes are left').waitFor();

    const logInWith = async (code: string): Promise<WatchedPage> => {
      const next = await dashboard.open();
      next.expects(/401/);
      await next.goto('/login');
      await next.page.getByLabel('E-mail').fill(account.email);
      await next.page.getByLabel('Password').fill(account.password);
      await next.page.getByRole('button', { name: 'Log in' }).click();
      await next.page.getByLabel(/^Code of your authenticator app/).fill(code);
      await next.page.getByRole('button', { name: 'Log in' }).click();
      return next;
    };
    for (const code of [totp.generate(), recovery[0] as string]) await (await logInWith(code)).page.waitForURL(/\/overview$/);
    const refused = await logInWith(recovery[0] as string);
    await refused.page.getByRole('alert').waitFor();
    expect(new URL(refused.page.url()).pathname).to.equal('/login');
    await reader.page.reload();
    await reader.sees(/9 recovery codes are left/);
  });

  it('a new password ends all other sessions, and its own goes on', async () => {
    const other = await dashboard.openAs(account, '/connect');
    other.expects(/401|WebSocket/);
    await other.sees('live');
    const reader = await dashboard.openAs(account, '/account');
    reader.expects(/401|WebSocket/);
    await until(async () => (await reader.rows('Sessions, oldest first')).length === 3);
    await reader.page.getByLabel('Password now').fill(account.password);
    await reader.page.getByLabel(/^New password/).fill('another horse battery');
    await reader.page.getByRole('button', { name: 'Change the password' }).click();
    await reader.sees('The new password holds. All other sessions have ended; API keys work on.');
    await other.page.waitForURL(/\/login/);
    await other.sees('Your session has ended. Log in again.');
    await until(async () => (await reader.rows('Sessions, oldest first')).length === 1);
    const renewals = reader.requests.filter((request) => request === REFRESH).length;
    await reader.page.reload();
    await reader.sees('live');
    expect(reader.requests.filter((request) => request === REFRESH).length).to.be.above(renewals);
    expect((await dashboard.stack.info(account.apiKey, { type: 'openOrders' })).status).to.equal(200);
  });

  it('deletes the account with its password, and nothing of it is left', async () => {
    const reader = await dashboard.openAs(account, '/account');
    reader.expects(/401|403|WebSocket/);
    await reader.page.getByRole('button', { name: 'Delete the account' }).click();
    const dialog = reader.page.getByRole('dialog');
    const deletes = async (password: string): Promise<void> => {
      await dialog.getByLabel('Password').fill(password);
      await dialog.getByRole('button', { name: 'Delete it' }).click();
    };
    await deletes('not the password');
    await dialog.getByRole('alert').waitFor();
    await deletes(account.password);
    await reader.page.waitForURL(`${dashboard.stack.baseUrl}/`);
    await until(async () => (await dashboard.stack.info(account.apiKey, { type: 'openOrders' })).status === 401);
    await reader.goto('/login');
    await reader.page.getByLabel('E-mail').fill(account.email);
    await reader.page.getByLabel('Password').fill(account.password);
    await reader.page.getByRole('button', { name: 'Log in' }).click();
    await reader.page.getByRole('alert').waitFor();
  });

  async function planOf(id: string): Promise<{ readonly balance_usd: string }> {
    const answer = await fetch(`${dashboard.stack.baseUrl}/v1/billing/plans`);
    const { plans } = (await answer.json()) as { plans: readonly { id: string; balance_usd: string }[] };
    return plans.find((plan) => plan.id === id) as { balance_usd: string };
  }
});
