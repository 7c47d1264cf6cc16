// The page that opens a journal's file: its view of an exported file, of a changed file, and of a large file while it reads.
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { accessibilityFaults } from '../../support/browser/accessibility.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { followReading, isDrawnAnew, saidOfReading, widthBesideScreen } from '../../support/browser/inPage.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC } from '../../support/faults/coins.ts';
import { journalLines } from '../../support/journalText.ts';
import type { TestAccount } from '../../support/stack.ts';
import { makeDir } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

/** 100 MB of entries of some kB. */
const LARGE_ENTRIES = 25_000;
const PADDING = 3800;

describe('dashboard: a journal’s file', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  let journal: string;
  const folder = makeDir('journals');
  useDashboard((started) => {
    dashboard = started;
  });

  before(async () => {
    account = await dashboard.stack.register();
    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.5', tif: 'Ioc' });
    await dashboard.order(account, BTC.asset, { px: '64000', sz: '0.1' });
    const path = '/v1/exchanges/perpx/account/export?kind=journal';
    const answer = await fetch(`${dashboard.stack.baseUrl}${path}`, { headers: { 'x-api-key': account.apiKey } });
    journal = await answer.text();
  });

  const kept = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const open = ({ page }: WatchedPage, file: string) => page.getByLabel('File, .jsonl').setInputFiles(file);
  const button = ({ page }: WatchedPage, name: string) => page.getByRole('button', { name, exact: true });

  for (const theme of ['light', 'dark'] as const) {
    it(`shows entries, orders, fills and the balance to a visitor, and asks the service for nothing (${theme})`, async () => {
      const visitor = await dashboard.open({ theme, width: 768 });
      await visitor.goto('/journal');
      await visitor.sees('A journal’s file');
      await until(async () => (await visitor.page.getByLabel('File, .jsonl').count()) === 1);
      await visitor.page.waitForLoadState('networkidle');
      const asked = visitor.requests.length;
      await open(visitor, await kept(`${theme}.jsonl`, journal));
      await visitor.sees('All lines are as they were written.');
      await visitor.sees(account.address);
      await until(async () => (await visitor.rows('Entries')).length >= 3);
      expect((await visitor.rows('Entries')).join('\n'))
        .to.match(/Filled buy 0.488 BTC at 65030/)
        .and.match(/Order rested: buy 0.1 BTC at 64000/);
      expect(await accessibilityFaults(visitor.page)).to.deep.equal([]);
      await visitor.page.getByText('As it stands in the file').first().click();
      expect(await accessibilityFaults(visitor.page)).to.deep.equal([]);
      await visitor.page.setViewportSize({ width: 320, height: 800 });
      await visitor.page.evaluate(isDrawnAnew);
      expect(await visitor.page.evaluate(widthBesideScreen), 'pixels beside the screen').to.equal(0);
      await button(visitor, 'fills').click();
      await until(async () => (await visitor.rows('Entries')).length === 1);
      expect((await visitor.rows('Entries'))[0]).to.include('Filled buy 0.488 BTC');
      expect(visitor.requests.slice(asked), 'nothing is sent').to.deep.equal([]);
    });
  }

  it('a changed line is named, and what stands before it is shown, also to one who is logged in', async () => {
    const lines = journal.split('\n');
    const at = lines.findIndex((line) => line.includes('"orderFilled"'));
    const changed = lines.with(at, (lines[at] ?? '').replace('"size":"0.488"', '"size":"0.489"')).join('\n');
    expect(changed).to.not.equal(journal);
    const reader = await dashboard.openAs(account, '/status');
    await reader.follow('Open a journal’s file');
    await open(reader, await kept('changed.jsonl', changed));
    await reader.sees(`Line ${at + 1} is not what was written.`);
    await until(async () => (await reader.rows('Entries')).length === at - 1);
    expect((await reader.rows('Entries')).join('\n')).to.not.include('Filled');
    expect(await accessibilityFaults(reader.page)).to.deep.equal([]);
    await open(reader, await kept('none.jsonl', '<html>\n'));
    await reader.sees('Line 1 is not what was written. It is no line of a journal.');
  });

  it('100 MB are read while the page goes on: they can be stopped, and their last page is shown', async () => {
    const file = join(folder, 'large.jsonl');
    await pipeline(Readable.from(journalLines(LARGE_ENTRIES, undefined, PADDING)), createWriteStream(file));
    const visitor = await dashboard.open();
    await visitor.goto('/journal');
    await until(async () => (await visitor.page.getByLabel('File, .jsonl').count()) === 1);
    await visitor.page.evaluate(followReading, true);
    await open(visitor, file);
    await visitor.sees('It was stopped.');
    await open(visitor, await kept('small.jsonl', journal));
    await visitor.sees('All lines are as they were written.');
    await visitor.page.evaluate(followReading, false);
    await open(visitor, file);
    await until(async () => (await visitor.page.locator('main').textContent())?.includes(String(LARGE_ENTRIES)) === true);
    await visitor.sees('All lines are as they were written.');
    const said = await visitor.page.evaluate(saidOfReading);
    expect(
      said.some((text) => !text.startsWith('Read: 0')),
      'it was told how far it is',
    ).to.equal(true);
    await button(visitor, 'Last').click();
    await until(async () => (await visitor.rows('Entries')).at(-1)?.startsWith(String(LARGE_ENTRIES)) ?? false);
    expect(await visitor.rows('Entries')).to.have.length(50);
  });
});
