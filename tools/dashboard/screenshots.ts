// `npm run screenshots`: the pictures of the README, in docs/images. It starts an exchange with the emulator, lets an account trade
// there, and photographs its pages. They are never made by hand.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DashboardStack } from '../../test/support/browser/dashboardStack.ts';
import type { WatchedPage } from '../../test/support/browser/watchedPage.ts';
import { until } from '../../test/support/until.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const BYTES_MAX = 200_000;
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
  // Orders in the queues of levels that the book shows.
  const { levels } = await stack.ask(account.apiKey, { type: 'l2Book', coin: 'BTC' });
  const [bid, ask] = [levels[0][5].px, levels[1][8].px] as [string, string];
  const [waiting] = await dashboard.order(account, BTC, { px: bid, sz: '0.05' }, { buy: false, px: ask, sz: '0.05' });

  const reader = await dashboard.openAs(account, '/overview', { theme: 'dark' });
  mkdirSync(IMAGES, { recursive: true });
  await photograph(reader, { name: 'overview', path: '/overview', shows: '.canvas canvas' });
  await photograph(reader, { name: 'order', path: `/orders/${waiting?.resting?.oid}`, shows: 'table' });
  await photograph(reader, { name: 'market', path: '/markets/BTC', shows: '.ladder .mine' });
} finally {
  await dashboard.stop();
}

/** @param view.shows what has to be on the page first, beside all that is on its way */
async function photograph(
  reader: WatchedPage,
  { name, path, shows }: { readonly name: string; readonly path: string; readonly shows: string },
): Promise<void> {
  await reader.goto(path);
  await reader.page.locator(shows).first().waitFor();
  if (name !== 'order') await reader.page.locator('.canvas canvas').first().waitFor();
  await until(async () => (await reader.page.locator('.loading, [aria-busy=true]').count()) === 0);
  const picture = await reader.page.screenshot({ animations: 'disabled' });
  if (picture.length > BYTES_MAX) throw new Error(`${name} has ${picture.length} bytes, more than ${BYTES_MAX}`);
  writeFileSync(join(IMAGES, `${name}.png`), picture);
  console.log(`docs/images/${name}.png: ${picture.length} bytes`);
}
