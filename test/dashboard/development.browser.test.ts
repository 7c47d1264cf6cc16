import { expect } from 'chai';
import type { DashboardStack } from '../support/browser/dashboardStack.ts';
import { useDashboard } from '../support/browser/useDashboard.ts';
import { ViteServer } from '../support/browser/viteServer.ts';

describe('npm run dashboard: the page that is worked on, before a running exchange', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let vite: ViteServer;
  useDashboard((started) => {
    dashboard = started;
  });
  before(async () => {
    vite = await ViteServer.start({ EXCHANGE: dashboard.stack.baseUrl });
  });
  after(() => vite.stop());

  it('starts, logs in and follows the account', async () => {
    const account = await dashboard.stack.register();
    const reader = await dashboard.open({ at: vite.url });
    await reader.logIn(account);
    await reader.sees('live');
    expect(await reader.page.locator('h1').textContent()).to.equal('Overview');
    await reader.page.reload();
    await reader.sees('live');
  });
});
