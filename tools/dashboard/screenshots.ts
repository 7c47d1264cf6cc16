// `npm run screenshots`: the pictures of the README, in docs/images. It starts an exchange with the emulator, lets an account trade
// there, and photographs its pages. They are never made by hand.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_PATHS } from '../../src/api/pages/pagePaths.ts';
import { DashboardStack } from '../../test/support/browser/dashboardStack.ts';
import type { WatchedPage } from '../../test/support/browser/watchedPage.ts';
import { until } from '../../test/support/until.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const BYTES_MAX = 150_000;
const BTC = 0;
const ETH = 1;
const SOL = 5;

const dashboard = await DashboardStack.start({ quiet: false });
try {
  const { stack } = dashboard;
  const account = await stack.register();
  const mids: Readonly<Record<string, string>> = await stack.ask(account.apiKey, { type: 'allMids' });
  /** A price so far from the mid, with digits that every coin takes. */
  const price = (coin: string, factor: number): string => String(Number((Number(mids[coin]) * factor).toPrecision(4)));
  await dashboard.order(account, BTC, { px: price('BTC', 1.04), sz: '0.15', tif: 'Ioc' });
  await dashboard.order(account, ETH, { buy: false, px: price('ETH', 0.96), sz: '2.5', tif: 'Ioc' });
  await dashboard.order(account, SOL, { px: price('SOL', 1.04), sz: '30', tif: 'Ioc' });
  await dashboard.order(account, SOL, { buy: false, px: price('SOL', 0.96), sz: '12', tif: 'Ioc' });
  const asks = { buy: false, sz: '0.05' };
  const [waiting] = await dashboard.order(account, BTC, { ...asks, px: price('BTC', 1.01) }, { ...asks, px: price('BTC', 1.02) });

  const reader = await dashboard.openAs(account, '/overview', { theme: 'dark' });
  const pages: Readonly<Record<string, string>> = {
    overview: '/overview',
    order: `/orders/${waiting?.resting?.oid}`,
    ...('marketPage' in PAGE_PATHS && { market: '/markets/BTC' }),
  };
  mkdirSync(IMAGES, { recursive: true });
  for (const [name, path] of Object.entries(pages)) await photograph(reader, name, path);
} finally {
  await dashboard.stop();
}

async function photograph(reader: WatchedPage, name: string, path: string): Promise<void> {
  await reader.goto(path);
  await reader.page.locator('h1').waitFor();
  await until(async () => (await reader.page.locator('.loading, [aria-busy=true]').count()) === 0);
  const picture = await reader.page.screenshot({ animations: 'disabled' });
  if (picture.length > BYTES_MAX) throw new Error(`${name} has ${picture.length} bytes, more than ${BYTES_MAX}`);
  writeFileSync(join(IMAGES, `${name}.png`), picture);
  console.log(`docs/images/${name}.png: ${picture.length} bytes`);
}
