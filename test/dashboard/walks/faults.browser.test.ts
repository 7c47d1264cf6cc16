import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { NO_ROWS, ROWS_PER_BUCKET } from '../../../src/actors/core/messages/historyRows.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { queueCommands } from '../../../src/shared/redis/submitScript.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import { orderAction } from '../../support/orderWire.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** The browser's words for a server that is away. */
const AWAY = /WebSocket|ERR_CONNECTION|ERR_EMPTY|ERR_INCOMPLETE|Failed to fetch/;
const FILLS = 200;

describe('dashboard: the truth under fault', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  /** A node of its own, which these tests kill and suspend. */
  let name: string;
  let url: string;
  useDashboard((started) => {
    dashboard = started;
  });
  before(async () => {
    name = await dashboard.stack.add('api');
    url = dashboard.stack.baseUrls.at(-1) ?? '';
    await dashboard.stack.waitHealthy();
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
  });

  it('the API node is killed in a burst of 200 fills: each is there once when the page has found it again', async () => {
    const { stack } = dashboard;
    const reader = await dashboard.open({ at: url });
    reader.expects(AWAY);
    await reader.logIn(account, '/fills');
    await reader.sees('No fill yet.');
    for (let i = 0; i < FILLS; i++) {
      if (i === 70) await stack.kill(name);
      const order = { buy: i % 2 === 0, px: i % 2 === 0 ? '66000' : '64000', sz: '0.001', tif: 'Ioc' } as const;
      await stack.act(account.apiKey, orderAction(BTC.asset, order));
      if (i === 140) await stack.restart(name);
    }
    await stack.waitHealthy();
    const fills: readonly { tid: number }[] = await stack.ask(account.apiKey, { type: 'userFills' });
    expect(fills.length).to.be.at.least(FILLS);
    const wanted = fills.map(({ tid }) => `/fills/${tid}`).sort();
    await reader.sees(`1 to 50 of ${wanted.length}`);
    const pages = reader.page.getByRole('navigation', { name: /^Pages of/ }).first();
    const shown: string[] = [];
    for (let from = 1; from <= wanted.length; from += 50) {
      await reader.sees(`${from} to ${Math.min(from + 49, wanted.length)} of ${wanted.length}`);
      shown.push(...(await reader.page.getByTitle('What this fill was made of').evaluateAll(hrefsOf)));
      const next = pages.getByRole('button').last();
      if (await next.isEnabled()) await next.click();
    }
    expect(shown.sort()).to.deep.equal(wanted);
  });

  it('history begins after what the page has heard: the list is read anew, and the bell says so', async () => {
    await missed('The history was reloaded: messages were missed.', async () => {
      const many = Array.from({ length: ROWS_PER_BUCKET }, () => ({ px: '66000', sz: '0.001', tif: 'Ioc' }) as const);
      await dashboard.order(account, BTC.asset, ...many);
      const seq = Number((await dashboard.stack.info(account.apiKey, { type: 'userFills' })).headers.get('x-account-seq'));
      await journalIsEmpty();
      // As the job does when rows are older than the plan's days.
      const firstRows = { ...NO_ROWS, fills: ROWS_PER_BUCKET };
      const command = { type: 'forgetHistory', beforeMs: 0, firstRows, lastSeqs: { ...NO_ROWS, fills: seq }, seq: 0 } as const;
      const queued = { accountId: account.address, requestId: 'test', commands: [command], format: NEWEST_FORMAT };
      await queueCommands(dashboard.stack.redis, { config: readConfig({}), ...queued });
      await until(async () => (await dashboard.stack.ask(account.apiKey, { type: 'userFills' })).length < ROWS_PER_BUCKET);
    });
  });

  it('the account is reset while the page hears nothing: the list is read anew, and the bell says that alone', async () => {
    await missed('The account was reset.', async () => {
      const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' };
      const path = `${dashboard.stack.baseUrl}/v1/exchanges/perpx/account/reset`;
      expect((await fetch(path, { method: 'POST', headers, body: '{}' })).status).to.equal(200);
    });
  });

  it('a server that is silent makes the numbers grey and says how old they are; when it speaks again they are of now', async () => {
    const { stack } = dashboard;
    const reader = await dashboard.open({ at: url });
    reader.expects(AWAY);
    // The request from just before: a node that has slept may find that it has waited too long. The page asks again by itself.
    reader.expects(/ 503 .*\/v1\/exchanges\/perpx\//);
    await reader.logIn(account);
    await reader.sees('live');
    await stack.kill(name, 'SIGSTOP');
    await reader.sees(/no news for|connection lost/);
    expect(await reader.page.locator('.app.old').count()).to.equal(1);
    await stack.kill(name, 'SIGCONT');
    await reader.sees('live');
    expect(await reader.page.locator('.app.old').count()).to.equal(0);
    await reader.sees('PnL since the beginning');
    await until(async () => (await reader.page.locator('[role=alert]').count()) === 0);
  });

  it('market data that has stopped: closing is refused with its age', async () => {
    const { stack } = dashboard;
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.01', tif: 'Ioc' });
    const reader = await dashboard.openAs(account, '/positions');
    await until(async () => (await reader.rows('Open positions')).length === 1);
    await stack.market.control({ op: 'pause', coin: 'BTC' });
    try {
      const refusal = async (): Promise<string> => {
        const order = { px: '60000', sz: '0.001' };
        const { body } = await stack.act(account.apiKey, orderAction(BTC.asset, order));
        return JSON.stringify(body);
      };
      await until(async () => (await refusal()).includes('stale'));
      await reader.page.getByRole('button', { name: 'Close', exact: true }).click();
      await reader.page.getByRole('button', { name: 'Close it' }).click();
      await reader.sees(/Market data is stale \([\d.]+ s\)/);
      expect(await reader.rows('Open positions')).to.have.length(1);
    } finally {
      await stack.market.control({ op: 'resume', coin: 'BTC' });
    }
  });

  it('a script that an upgrade has taken away: the page loads itself anew, once, and is there', async () => {
    const reader = await dashboard.openAs(account);
    let missing = 0;
    reader.expects(/404|Failed to fetch dynamically imported module/);
    await reader.page.route(/\/scripts\/Keys-/, async (route) => {
      missing += 1;
      if (missing > 1) return route.continue();
      // As the server answers for a script that its build does not have.
      return route.fulfill({ response: await route.fetch({ url: `${reader.baseUrl}/scripts/gone.js` }) });
    });
    const loads = (): number => reader.requests.filter((request) => request === 'GET /keys').length;
    await reader.follow('Keys');
    await reader.page.getByRole('table', { name: 'API keys' }).waitFor();
    expect(missing).to.be.at.least(1);
    expect(loads()).to.equal(1);
  });

  /** Fills while a page of fills hears nothing are not on it in the end, and later fills are; the bell says `notice` once. */
  async function missed(notice: string, act: () => Promise<void>): Promise<void> {
    const { stack } = dashboard;
    await dashboard.order(account, SOL.asset, { px: '101', sz: '1', tif: 'Ioc' });
    const reader = await dashboard.open({ at: url });
    reader.expects(AWAY);
    // A page that has not heard the first beginning cannot know that the stream has begun again.
    let isStartHeard = false;
    reader.page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        isStartHeard ||= String(payload).startsWith('{"channel":"accountStart"');
      });
    });
    await reader.logIn(account, '/fills');
    await until(async () => (await reader.rows('Fills, newest first')).length === 1);
    await until(() => isStartHeard);
    await stack.kill(name);
    await reader.sees('connection lost');
    await dashboard.order(account, SOL.asset, { buy: false, px: '99', sz: '0.5', tif: 'Ioc' });
    await act();
    await journalIsEmpty();
    for (const sz of ['2', '3']) await dashboard.order(account, SOL.asset, { px: '101', sz, tif: 'Ioc' });
    const wanted = (await stack.ask(account.apiKey, { type: 'userFills' })).map(({ tid }: { tid: number }) => `/fills/${tid}`);
    await stack.restart(name);
    await reader.page.getByRole('button', { name: /^Notifications, \d+ new$/ }).waitFor();
    const shown = () => reader.page.getByTitle('What this fill was made of').evaluateAll(hrefsOf);
    await until(async () => isDeepStrictEqual((await shown()).sort(), wanted.sort()));
    const bell = reader.page.getByRole('button', { name: /^Notifications/ });
    await until(async () => {
      // A reset draws the page again, and open orders are closed.
      if ((await bell.getAttribute('aria-expanded')) !== 'true') await bell.click();
      const notices = await reader.page.locator('.notices li a').allTextContents();
      return isDeepStrictEqual(
        notices.filter((text) => /reset|reloaded/.test(text)),
        [notice],
      );
    });
  }

  /** The account's past is in MongoDB alone. */
  async function journalIsEmpty(): Promise<void> {
    const journal = shardKeys.journal(shardOf(account.address, readConfig({}).SHARDS));
    await until(async () => (await dashboard.stack.redis.xlen(journal)) === 0);
  }
});

const hrefsOf = (links: readonly { getAttribute(name: string): string | null }[]): string[] =>
  links.map((link) => link.getAttribute('href') ?? '');
