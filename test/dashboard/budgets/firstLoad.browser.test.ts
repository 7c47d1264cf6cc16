import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { PageMeter } from '../../support/browser/pageMeter.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC, ETH, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const DIST = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url));
const KB = 1_000;
const FIRST_SCRIPT_BYTES_MAX = 45 * KB;
const FIRST_STYLE_BYTES_MAX = 10 * KB;
/** Scripts and styles of a market's page, with the price chart. */
const MARKET_BYTES_MAX = 105 * KB;
const REQUESTS_MAX = 12;
/** Of the main thread, beyond an empty page: until the first page is drawn, which is later than its first paint. */
const FIRST_PAGE_SECONDS_MAX = 0.3;
const TIMES = 5;

describe('dashboard: what the first load of a page costs', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  before(async () => {
    account = await dashboard.stack.register();
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.5', tif: 'Ioc' });
    await dashboard.order(account, ETH.asset, { buy: false, px: '1990', sz: '3', tif: 'Ioc' });
    await dashboard.order(account, SOL.asset, { px: '101', sz: '20', tif: 'Ioc' });
    await dashboard.order(account, BTC.asset, { px: '64000', sz: '0.1' }, { px: '63000', sz: '0.2' });
  });

  it('the first script is within 45 kB and the first style within 10 kB, with gzip', async () => {
    const { requests } = await loaded(await dashboard.open(), '/login');
    expect(gzipBytes(requests, '.js')).to.be.within(1, FIRST_SCRIPT_BYTES_MAX);
    expect(gzipBytes(requests, '.css')).to.be.within(1, FIRST_STYLE_BYTES_MAX);
  });

  it('a market with its price chart is within 105 kB of scripts and styles', async () => {
    const { requests } = await loaded(await newTab(), '/markets/BTC');
    expect(requests.filter((request) => /\/draw-/.test(request))).to.have.length(1);
    expect(gzipBytes(requests, '.js') + gzipBytes(requests, '.css')).to.be.within(1, MARKET_BYTES_MAX);
  });

  it('the overview takes 12 requests until it is drawn, its own files and the socket among them', async () => {
    const reader = await newTab();
    const { requests } = await loaded(reader, '/overview');
    for (const caption of ['Open positions', 'Open orders']) expect(await reader.rows(caption)).to.have.length.above(1);
    // Requests that come after all others: the estimate of the funding, and the days' ranges behind the distance.
    const later = requests.filter((request) => request === 'POST /v1/exchanges/perpx/info');
    expect(later.length).to.be.at.most(2);
    expect(requests.length - later.length, requests.join('\n')).to.be.within(5, REQUESTS_MAX);
  });

  it('the page names all that its first paint needs, so that it waits for one round trip beyond an empty page', async () => {
    const reader = await dashboard.open();
    const { requests } = await loaded(reader, '/login');
    const page = await (await fetch(`${dashboard.stack.baseUrl}/login`)).text();
    const files = requests.filter((request) => !request.endsWith('/login')).map((request) => request.replace('GET ', ''));
    expect(files).to.have.length(2);
    for (const file of files) expect(page).to.contain(`"${file}"`);
  });

  it('the main thread is done with the first page within 300 ms of an empty page, in the middle of five loads', async () => {
    const beyond: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const reader = await dashboard.open();
      await reader.page.route('**/empty', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Empty</h1>' }));
      const meter = await PageMeter.on(reader);
      const seconds = async (path: string): Promise<number> => {
        const { taskSeconds: before } = await meter.cost();
        await reader.goto(path);
        await reader.page.locator('h1').waitFor();
        return (await meter.cost()).taskSeconds - before;
      };
      await seconds('/empty'); // the browser's own beginning
      const empty = await seconds('/empty');
      beyond.push((await seconds('/login')) - empty);
    }
    expect(beyond.sort((a, b) => a - b)[Math.floor(TIMES / 2)]).to.be.below(FIRST_PAGE_SECONDS_MAX);
  });

  /** A tab that has loaded nothing yet, of a reader who is logged in. */
  async function newTab(): Promise<WatchedPage> {
    const reader = await dashboard.openAs(account, '/status');
    return dashboard.tabOf(reader);
  }
});

/** Resolves when the page shows its heading and everything that it has asked for. */
async function loaded(reader: WatchedPage, path: string): Promise<PageMeter> {
  const meter = await PageMeter.on(reader);
  await reader.goto(path);
  await reader.page.locator('h1').waitFor();
  await until(async () => (await reader.page.locator('.loading, [aria-busy=true]').count()) === 0);
  if (path !== '/login') await reader.page.locator('canvas').first().waitFor();
  return meter;
}

/** Of the files of a kind among the requests, as the build has them. */
function gzipBytes(requests: readonly string[], ending: string): number {
  const files = requests.filter((request) => request.endsWith(ending)).map((request) => request.replace('GET ', ''));
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0);
}
