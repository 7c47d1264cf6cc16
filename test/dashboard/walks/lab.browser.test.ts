import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

describe('dashboard: the failure lab of a key', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  let keyId: string;
  let path: string;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
    const { body } = await dashboard.stack.call('GET', '/v1/auth/api-keys', { token: account.token });
    keyId = body.api_keys[0].id;
    path = `/v1/auth/api-keys/${keyId}/lab`;
  });

  const shown = async () => (await dashboard.stack.call('GET', path, { token: account.token })).body;
  const button = ({ page }: WatchedPage, name: string) => page.getByRole('button', { name, exact: true });

  it('is set from a preset and by hand, seen, met by an order, whose page tells the draw, and switched off', async () => {
    const reader = await dashboard.openAs(account, '/keys');
    await until(async () => (await reader.rows('API keys'))[0]?.includes('off') ?? false);
    await reader.follow('off');
    await reader.page.waitForURL(/\/keys\/key_/);
    await reader.sees(/^Switch it on$/);
    expect(await button(reader, 'Switch it off').count()).to.equal(0);
    await button(reader, 'slowVenue').click();
    await reader.sees('Every action takes 250 ms, answers 100 ms more.');
    await reader.page.getByLabel('Seed').fill('7');
    await button(reader, 'Add a script').click();
    await button(reader, 'Add a script').click();
    await button(reader, 'Take out').first().click();
    await reader.page.getByLabel('Cloid begins with').fill('0xdead');
    await reader.page.getByLabel('Fills at once, % at most').fill('25');
    await reader.page.getByLabel('Its answer is lost').check();
    await button(reader, 'Add a script').click();
    await reader.page.getByLabel('Cloid begins with').last().fill('0xbeef');
    await reader.page.getByLabel('Refused, because').last().selectOption({ label: 'insufficient margin' });
    await button(reader, 'Add a window').click();
    await reader.page.getByLabel('From, UTC').fill('2026-01-01T00:00:00.000Z');
    await reader.page.getByLabel('For, ms', { exact: true }).fill('31000000000');
    await reader.page.getByLabel('No answer, nothing done').fill('0');
    await reader.page.getByLabel('Without an answer, held for, ms').fill('50');
    await button(reader, 'Switch it on').click();
    await reader.sees('It holds now.');
    expect((await shown()).profile).to.deep.equal({
      ...{ seed: 7, latency: { submit: 250, cancel: 250, answer: 100 }, faults: { timeoutBefore: 0 }, timeoutMs: 50 },
      scripts: [
        { cloidPrefix: '0xdead', fillPercent: 25, loseAnswer: true },
        { cloidPrefix: '0xbeef', refuse: 'insufficientMargin' },
      ],
      schedule: [{ from: '2026-01-01T00:00:00.000Z', forMs: 31_000_000_000 }],
    });
    await reader.sees('on, by its schedule');

    const [resting] = await dashboard.order(account, BTC.asset, { px: '64000', sz: '0.1' });
    await reader.goto(`/orders/${resting?.resting?.oid}`);
    await reader.sees('From the failure lab');
    await reader.sees(/The order waited 250 ms.*: request 1, draw 0\.\d{4}\.$/);

    await reader.goto('/keys');
    await reader.follow('set');
    await reader.sees('1 to exchange, 0 to info');
    expect(await reader.page.getByLabel('Fills at once, % at most').first().inputValue()).to.equal('25');
    expect(await reader.page.getByLabel('Refused, because').last().inputValue()).to.equal('insufficientMargin');
    await button(reader, 'Switch it off').click();
    await reader.sees(/^Switch it on$/);
    await until(async () => (await shown()).profile === null);
    reader.requireNoFault();
  });

  it('what it refuses is told in the API’s words, and what was typed stays', async () => {
    const reader = await dashboard.openAs(account, `/keys/${keyId}`);
    reader.expects(/400/);
    await reader.page.getByLabel('Answered 429').fill('0.8');
    await reader.page.getByLabel('Answered 500').fill('0.8');
    await button(reader, 'Switch it on').click();
    await reader.sees(/must come to 1 at most/);
    await reader.page.getByLabel('Answered 500').fill('often');
    await button(reader, 'Switch it on').click();
    await reader.sees(/a number from 0 to 1/);
    expect(await reader.page.getByLabel('Answered 429').inputValue()).to.equal('0.8');
    expect((await shown()).profile).to.equal(null);
  });
});
