import { expect } from 'chai';
import { readBotName } from '../../../src/features/alerts/deliver/telegram.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import type { TestAccount } from '../../support/stack.ts';
import { BOT } from '../../support/telegramServer.ts';
import { until } from '../../support/until.ts';

describe('dashboard: alerts', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
  });

  const endpoints = async () =>
    (await dashboard.stack.call('GET', '/v1/alerts/endpoints', { token: account.token })).body.endpoints;
  const deliveries = async (): Promise<{ readonly status: string }[]> =>
    (await dashboard.stack.call('GET', '/v1/alerts/deliveries', { token: account.token })).body.items;
  const button = ({ page }: WatchedPage, name: string) => page.getByRole('button', { name, exact: true });

  it('an endpoint is made, its secret shown once, tried, changed, paused, given a new secret, and removed', async () => {
    const reader = await dashboard.openAs(account, '/alerts');
    const { page } = reader;
    await reader.sees('No endpoint yet.');
    await page.getByLabel('fills', { exact: true }).check();
    await page.getByLabel('Margin ratios, %').fill('80, 50');
    await page.getByLabel('Address, https').fill('https://example.invalid/hook');
    await button(reader, 'Make an endpoint').click();
    await page.getByText(/^whsec_/).waitFor();
    const secret = await page.getByText(/^whsec_/).textContent();
    const [made] = await endpoints();
    expect(made).to.deep.include({
      ...{ url: 'https://example.invalid/hook', kinds: ['fill', 'liquidation', 'margin'], margin_percents: ['50', '80'] },
      ...{ drawdown_percent: '10', silent_minutes: 15, account: null, status: 'active' },
    });

    // Typed text stays when the page reads the lists again.
    await page.getByLabel('Margin ratios, %').fill('70');
    await button(reader, 'Test').click();
    await until(async () => (await reader.rows('Deliveries'))[0]?.includes('test') ?? false);
    expect(await page.getByLabel('Margin ratios, %').inputValue()).to.equal('70');

    await button(reader, 'Change').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/It is active/).uncheck();
    await dialog.getByLabel('Silent for, minutes').fill('30');
    await button(reader, 'Change it').click();
    await until(async () => (await reader.rows('Endpoints'))[0]?.includes('paused') ?? false);
    expect((await endpoints())[0]).to.include({ status: 'paused', paused_by: 'user', silent_minutes: 30 });

    await button(reader, 'New secret').click();
    await button(reader, 'Make it').click();
    await until(async () => (await page.getByText(/^whsec_/).textContent()) !== secret);
    await page.reload();
    await until(async () => (await reader.rows('Endpoints')).length === 1);
    expect(await page.getByText(/^whsec_/).count()).to.equal(0);

    await button(reader, 'Remove').click();
    await button(reader, 'Remove it').click();
    await reader.sees('No endpoint yet.');
    expect(await endpoints()).to.deep.equal([]);
    reader.requireNoFault();
  });

  it('mails go to an address that is verified, and a chat that has sent its code is greeted', async () => {
    const reader = await dashboard.openAs(account, '/alerts');
    const { page } = reader;
    const { db } = dashboard.stack.mongo;
    /** All that was sent has arrived, and the page shows it. */
    const arrived = async (...words: readonly string[]): Promise<void> => {
      await until(async () => (await deliveries()).every(({ status }) => status === 'delivered'));
      await page.reload();
      await until(async () => (await reader.rows('Deliveries')).some((row) => words.every((word) => row.includes(word))));
    };
    await until(async () => (await readBotName(dashboard.stack.mongo)) === BOT);
    reader.expects(/status of 403/);
    await page.getByLabel('mails to my verified address').check();
    expect(await page.getByLabel('Address, https').count()).to.equal(0);
    await button(reader, 'Make an endpoint').click();
    await reader.sees('Alerts are mailed to a verified address only.');
    await db.collection<{ _id: string }>('users').updateOne({ _id: account.userId }, { $set: { emailVerifiedAt: new Date() } });
    await button(reader, 'Make an endpoint').click();
    await until(async () => (await reader.rows('Endpoints'))[0]?.includes('your verified address') ?? false);
    expect(await button(reader, 'New secret').count()).to.equal(0);
    expect(await page.getByText(/^whsec_/).count()).to.equal(0);
    await button(reader, 'Test').click();
    await until(async () => (await deliveries()).length === 1);
    await arrived('your verified address', 'the mail was handed over');

    await page.getByLabel('a Telegram chat').check();
    await button(reader, 'Make an endpoint').click();
    const code = page.getByText(/^\/start /);
    await code.waitFor();
    const text = (await code.textContent()) ?? '';
    const link = page.getByRole('link', { name: /open the bot/ });
    expect(await link.getAttribute('href')).to.equal(`https://t.me/${BOT}?start=${text.slice('/start '.length)}`);
    await until(async () => (await reader.rows('Endpoints'))[1]?.includes('Telegram: no chat yet') ?? false);
    expect((await endpoints())[1]).to.include({ channel: 'telegram', status: 'unproven', chat: null });
    dashboard.telegram.write(text);
    await until(async () => (await deliveries()).length === 2);
    await arrived('Telegram: @satoshi', 'answered 200');
    expect(dashboard.telegram.sent.map(({ text }) => text).join('\n')).to.include(
      `a test of the endpoint ${(await endpoints())[1].id}`,
    );
    expect(await page.getByText(/^\/start /).count()).to.equal(0);

    for (const left of [1, 0]) {
      await button(reader, 'Remove').first().click();
      await button(reader, 'Remove it').click();
      await until(async () => (await reader.rows('Endpoints')).length === left);
    }
    expect(await endpoints()).to.deep.equal([]);
    reader.requireNoFault();
  });

  it('a dead letter is found and tried again', async () => {
    const { token } = account;
    const body = { url: 'https://example.invalid/hook', kinds: ['fill'] };
    const made = await dashboard.stack.call('POST', '/v1/alerts/endpoints', { token, body });
    const { id } = made.body.endpoint;
    await dashboard.stack.call('POST', `/v1/alerts/endpoints/${id}/test`, { token, body: {} });
    const deliveries = dashboard.stack.mongo.db.collection<{ _id: string; state: string; tries: number }>('alertDeliveries');
    await deliveries.updateOne({ endpoint: id } as never, {
      $set: { state: 'dead', tries: 10, result: 'answered 500' } as never,
    });
    const reader = await dashboard.openAs(account, '/alerts');
    await until(async () => (await reader.rows('Deliveries'))[0]?.includes('answered 500') ?? false);
    await button(reader, 'delivered').click();
    await reader.sees('Nothing here.');
    await button(reader, 'dead').click();
    await button(reader, 'Try again').click();
    await reader.sees('Nothing here.');
    const [stored] = await deliveries.find({ endpoint: id } as never).toArray();
    expect(stored?.state).to.equal('waiting');
    reader.requireNoFault();
  });
});
