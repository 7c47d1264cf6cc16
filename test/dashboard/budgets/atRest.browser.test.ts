import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { PageMeter } from '../../support/browser/pageMeter.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import { BTC, ETH, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** Counted is from one message of a kind to another, the largest. A busy machine sends less in a second, never more. */
const BEATS = 10;
const MINUTES = 10;
const REQUESTS_PER_MINUTE_MAX = 6;
/** Bytes a second. */
const PAGES = [
  { path: '/overview', rowsMax: 10, bytesMax: 6_000, beat: 'clearinghouseState' },
  { path: '/markets/BTC', rowsMax: 50, bytesMax: 15_000, beat: 'allMids' },
] as const;
const MANY_ORDERS = 60;
const FEW = { orders: 3, positions: 3 };
const MANY = { orders: 50, positions: 10 };
/** USD of each further position. */
const POSITION_USD = 100;
/** Requests a minute: a timer may have begun a little before the count or after it. */
const EDGE = 0.4;

/** On a busy machine the emulated venue may not answer in time: a page shows no day's range then, and asks for it the next time. */
const SLOW_VENUE = /503|market data source does not answer/;

describe('dashboard: what a page at rest takes from the network', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  before(async () => {
    account = await traderWith(FEW);
  });

  it('in a market that moves: 6 kB a second on the overview, 15 kB on a market, with 50 open orders and ten positions, too', async () => {
    const meters = [];
    for (const held of [FEW, MANY]) {
      const first = await dashboard.openAs(held === FEW ? account : await traderWith(held), '/status');
      for (const page of PAGES) {
        const tab = await dashboard.tabOf(first);
        tab.expects(SLOW_VENUE);
        const meter = await PageMeter.on(tab);
        await tab.goto(page.path);
        await tab.sees('live');
        await until(async () => (await tab.rows('Open orders')).length === Math.min(held.orders, page.rowsMax));
        meters.push({ page, meter, name: `${page.path} with ${held.orders} orders and ${held.positions} positions` });
      }
    }
    await dashboard.stack.market.control({ op: 'thaw' });
    try {
      const seen = await Promise.all(meters.map(({ meter, page }) => bytesPerSecond(meter, page.beat)));
      for (const [i, { page, name }] of meters.entries()) {
        expect(seen[i], name).to.be.within(1, page.bytesMax);
      }
    } finally {
      await dashboard.stack.market.control({ op: 'freezeMoves' });
    }
  });

  for (const { path } of PAGES) {
    it(`${path} asks 6 times a minute, and as often with ${MANY_ORDERS} orders as with three`, async () => {
      const few = await requestsPerMinute(account, path);
      const many = await requestsPerMinute(await traderWith({ ...FEW, orders: MANY_ORDERS }), path);
      expect(few).to.be.within(0.1, REQUESTS_PER_MINUTE_MAX);
      expect(many).to.be.within(few - EDGE, few + EDGE);
    });
  }

  async function traderWith({ orders, positions }: typeof FEW): Promise<TestAccount> {
    const trader = await dashboard.stack.register();
    await dashboard.order(trader, BTC.asset, { px: '66000', sz: '0.5', tif: 'Ioc' });
    await dashboard.order(trader, ETH.asset, { buy: false, px: '1990', sz: '3', tif: 'Ioc' });
    await dashboard.order(trader, SOL.asset, { px: '101', sz: '20', tif: 'Ioc' });
    const resting = Array.from({ length: orders }, (_, i) => ({ px: String(60_000 + i), sz: '0.001' }));
    await dashboard.order(trader, BTC.asset, ...resting);
    const [{ universe }, contexts] = await dashboard.stack.ask(trader.apiKey, { type: 'metaAndAssetCtxs' });
    for (let asset = 3, more = positions - 3; more > 0; asset++) {
      const { name, szDecimals, isDelisted } = universe[asset];
      if (isDelisted || [BTC.coin, ETH.coin, SOL.coin].includes(name)) continue;
      await dashboard.order(trader, asset, {
        px: '0',
        sz: (POSITION_USD / contexts[asset].markPx).toFixed(szDecimals),
        tif: 'Ioc',
      });
      more -= 1;
    }
    const state = await dashboard.stack.ask(trader.apiKey, { type: 'clearinghouseState' });
    expect(state.assetPositions).to.have.length(positions);
    return trader;
  }

  /** Over ten minutes of the page's own clock, which the test sets forward; it goes on by itself, too. */
  async function requestsPerMinute(trader: TestAccount, path: string): Promise<number> {
    const first = await dashboard.openAs(trader, '/status');
    const tab = await dashboard.tabOf(first);
    tab.expects(SLOW_VENUE);
    const { page } = tab;
    await page.clock.install();
    const meter = await PageMeter.on(tab);
    await tab.goto(path);
    await page.getByText('live', { exact: true }).first().waitFor();
    await page.locator('canvas').first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.clock.runFor(30_000);
    await page.waitForLoadState('networkidle');
    const pageMs = (): Promise<number> => page.evaluate(() => Date.now());
    const fromMs = await pageMs();
    meter.begin();
    for (let i = 0; i < 6 * MINUTES; i++) await page.clock.runFor(10_000);
    await page.waitForLoadState('networkidle');
    return (meter.requests.length / ((await pageMs()) - fromMs)) * 60_000;
  }
});

/** Bytes a second from one message of the kind to another: the one counted, the other not. */
async function bytesPerSecond(meter: PageMeter, beat: string): Promise<number> {
  const seen: { readonly bytes: number; readonly stateMs: number; readonly atMs: number }[] = [];
  meter.onFrame = (channel) => {
    if (channel === beat) seen.push({ bytes: meter.bytes, stateMs: meter.stateMs, atMs: performance.now() });
  };
  await until(async () => seen.length > BEATS);
  const [first, last] = [seen[0], seen[BEATS]];
  if (first === undefined || last === undefined) throw new Error('no message came');
  // The time by the exchange's clock and by this process's: a message that was late at one end makes only one of the two times
  // shorter.
  const ms = Math.max(last.stateMs - first.stateMs, last.atMs - first.atMs);
  return (last.bytes - first.bytes) / (ms / 1_000);
}
