import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { crossSiteRequest, crossSiteSocket } from '../../support/browser/inPage.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const REFRESH = 'POST /v1/auth/session/refresh';

describe('dashboard: sessions of a browser', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  /** A node whose access tokens last for seconds. */
  let url: string;
  useDashboard((started) => {
    dashboard = started;
  });
  before(async () => {
    await dashboard.stack.add('api', { SESSION_TOKEN_SECONDS: '5' });
    url = dashboard.stack.baseUrls.at(-1) ?? '';
    await dashboard.stack.waitHealthy();
    account = await dashboard.stack.register();
  });

  it('tokens end and two tabs renew them; a logout in one ends both', async () => {
    const first = await dashboard.open({ at: url });
    first.expects(/401/);
    await first.logIn(account, '/connect');
    const second = await dashboard.tabOf(first);
    second.expects(/401/);
    await second.goto('/connect');
    // The page of connecting asks every two seconds.
    for (const tab of [first, second]) await tab.page.getByRole('button', { name: 'Make a key for the bot' }).click();
    const renewals = ({ requests }: typeof first): number => requests.filter((request) => request === REFRESH).length;
    await until(() => renewals(first) >= 3 && renewals(second) >= 3);
    for (const tab of [first, second]) expect(new URL(tab.page.url()).pathname).to.equal('/connect');
    await first.page.getByRole('button', { name: 'Account', exact: true }).click();
    await first.page.getByRole('button', { name: 'Log out' }).click();
    for (const tab of [first, second]) await tab.page.waitForURL(/\/login/);
    await second.page.reload();
    await second.page.waitForURL(/\/login/);
  });

  it('an old cookie that another has kept ends the session', async () => {
    const reader = await dashboard.open({ at: url });
    // The server may refuse requests of the page meanwhile, and the console says so.
    reader.expects(/401|WebSocket|A valid API key or access token is required/);
    await reader.logIn(account, '/connect');
    const cookieOf = async (): Promise<string> => {
      const [cookie] = await reader.context.cookies(`${url}/v1/auth/session`);
      return `${cookie?.name}=${cookie?.value}`;
    };
    const stolen = await cookieOf();
    await reader.page.reload();
    await until(async () => (await cookieOf()) !== stolen);
    const next = await cookieOf();
    await reader.page.reload();
    await until(async () => (await cookieOf()) !== next);
    const headers = { cookie: stolen, origin: url, 'x-requested-with': 'dashboard' };
    expect((await fetch(`${url}/v1/auth/session/refresh`, { method: 'POST', headers })).status).to.equal(401);
    await reader.page.reload();
    await reader.page.waitForURL(/\/login/);
  });

  describe('a page of another site', () => {
    let server: Server;
    let site: string;
    before(async () => {
      server = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<!doctype html><title>Another site</title>');
      });
      server.listen(0, 'localhost');
      await once(server, 'listening');
      site = `http://localhost:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });

    it('gets nothing from the cookie’s endpoints, and no WebSocket', async () => {
      const reader = await dashboard.openAs(account);
      const { baseUrl } = reader;
      const strange = await dashboard.tabOf(reader);
      strange.expects(/./); // every fault here is what the test asks for
      const statuses = new Map<string, number>();
      strange.page.on('response', (response) => {
        statuses.set(`${response.request().method()} ${new URL(response.url()).pathname}`, response.status());
      });
      await strange.page.goto(site);
      await strange.page.evaluate(crossSiteRequest, `${baseUrl}/v1/auth/session/refresh`);
      await strange.page.evaluate(crossSiteRequest, `${baseUrl}/v1/auth/session`);
      expect([...statuses.entries()].filter(([name]) => name.startsWith('POST'))).to.deep.equal([
        ['POST /v1/auth/session/refresh', 403],
        ['POST /v1/auth/session', 403],
      ]);
      const socket = `${baseUrl.replace('http', 'ws')}/v1/exchanges/perpx/ws`;
      expect(await strange.page.evaluate(crossSiteSocket, socket)).to.equal('refused');
      expect(strange.faults.join(' ')).to.match(/WebSocket connection .*(401|HTTP Authentication failed)/);
      // The session of the reader is what it was.
      await reader.page.reload();
      await reader.sees('live');
    });
  });
});
