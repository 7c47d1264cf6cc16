import { expect } from 'chai';
import { trialExpiry } from '../../../src/features/billing/trialExpiry.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import { newestFormats } from '../../support/formats.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const ACCOUNT = 'GET /v1/exchanges/perpx/account';

describe('dashboard: what is paid for, and what is not any more', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
  });

  const trialEnds = ({ userId }: TestAccount, atMs: number) =>
    dashboard.stack.mongo.db
      .collection<{ _id: string }>('users')
      .updateOne({ _id: userId }, { $set: { trialExpiresAt: new Date(atMs) } });

  /** As if the days of the trial had passed: the job that notes it tells every node. */
  async function endTrial(of: TestAccount): Promise<void> {
    const { redis, mongo } = dashboard.stack;
    await trialEnds(of, Date.now() - 1000);
    const log = createLogger({ level: 'silent', role: 'test' });
    await trialExpiry.run({ config: readConfig({}), log, redis, mongo, formats: newestFormats, now: Date.now }, 0);
  }

  /** From the plan's button to the provider's page, where the button pays, and back. */
  async function pay(reader: WatchedPage): Promise<void> {
    await reader.sees('This invoice waits for its payment.');
    await reader.follow('Pay');
    await reader.page.getByRole('button', { name: 'Pay' }).click();
    await reader.sees('Paid. Your plan holds from now on.');
    await reader.follow('What became of the invoice');
    await reader.page.waitForURL(/\/billing\?invoice=/);
    await reader.sees('Paid, thank you. The plan holds from now on.');
  }

  it('a trial of a hundred years, as at home, has no end', async () => {
    await trialEnds(account, Date.now() + 36_500 * 86_400_000);
    const reader = await dashboard.openAs(account);
    await reader.sees(/^Trial: no end\./);
    await reader.follow('Choose a plan');
    await reader.sees('Trial until');
    await reader.sees('no end');
  });

  it('the trial ends: read only, from REST; after the payment the page trades on without being loaded anew', async () => {
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.01', tif: 'Ioc' });
    await dashboard.order(account, SOL.asset, { px: '90', sz: '1' });
    const reader = await dashboard.openAs(account);
    reader.expects(/403/);
    await reader.sees(/^Trial: \d+ \w+ left\./);
    await reader.sees('live');
    const asked = reader.requests.length;
    await endTrial(account);
    await reader.sees(/^Read only: the trial or the subscription is over\./);
    for (const list of [`${ACCOUNT}/overview`, `${ACCOUNT}/orders/open`])
      await until(() => reader.requests.slice(asked).includes(list));
    expect(await reader.rows('Open positions')).to.have.length(1);
    expect(await reader.rows('Open orders')).to.have.length(1);
    await reader.page.getByRole('button', { name: 'Close', exact: true }).click();
    await reader.page.getByRole('button', { name: 'Close it' }).click();
    await reader.page.getByRole('alert').getByText(/trial/i).waitFor();
    await reader.page.getByRole('button', { name: 'Back' }).click();
    await reader.follow('Orders');
    await until(async () => (await reader.rows('Open orders')).length === 1);

    await reader.follow('Choose a plan');
    await reader.page.getByRole('button', { name: 'Choose basic' }).click();
    await pay(reader);
    const loads = (): number => reader.requests.filter((request) => / \/(billing|positions)$/.test(request)).length;
    const before = loads();
    await reader.sees('live');
    expect(await reader.page.getByText(/^Read only/).count()).to.equal(0);
    await reader.page.keyboard.press('g');
    await reader.page.keyboard.press('p');
    await reader.page.waitForURL(/\/positions$/);
    await reader.page.getByRole('button', { name: 'Close', exact: true }).click();
    await reader.page.getByRole('button', { name: 'Close it' }).click();
    await reader.sees('No position.');
    expect(loads(), 'pages loaded').to.equal(before);
    expect((await dashboard.stack.ask(account.apiKey, { type: 'clearinghouseState' })).assetPositions).to.deep.equal([]);
  });

  it('a lesser plan is asked about before it costs history, and holds when it is paid', async () => {
    const reader = await dashboard.openAs(account, '/billing');
    reader.expects(/400/);
    await reader.page.getByRole('button', { name: 'Choose pro' }).click();
    await pay(reader);
    await reader.page.getByRole('article', { name: 'Plan pro' }).getByText('your plan').waitFor();
    await reader.page.getByRole('button', { name: 'Choose basic' }).click();
    await reader.sees('Older fills, orders and payments are removed, for good.');
    const invoices = (): Promise<string[]> => reader.rows('Invoices, newest first');
    expect(await invoices()).to.have.length(1);
    await reader.page.getByRole('button', { name: 'Change to basic' }).click();
    await until(async () => (await invoices()).some((row) => /basic, one month .* open/.test(row)));
    await pay(reader);
    await until(async () => (await invoices()).some((row) => /basic, one month .* paid/.test(row)));
  });
});
