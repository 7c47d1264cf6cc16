import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Request, Route } from 'playwright-core';
import { accessibilityFaults } from '../../support/browser/accessibility.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { widthBesideScreen } from '../../support/browser/inPage.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

describe('dashboard: several accounts of a user', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let user: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    user = await dashboard.stack.register();
  });

  const act = async (action: object): Promise<unknown> => (await dashboard.stack.act(user.apiKey, action)).body.response.data;
  const made = async (name: string, usd: number): Promise<string> => {
    const address = (await act({ type: 'createSubAccount', name })) as string;
    await act({ type: 'subAccountTransfer', subAccountUser: address, isDeposit: true, usd: usd * 1_000_000 });
    return address;
  };
  const groupNow = async (): Promise<GroupNow> =>
    (await dashboard.stack.call('GET', '/v1/exchanges/perpx/account/group', { key: user.apiKey })).body;
  const shownValue = (reader: WatchedPage): Promise<string | null> =>
    reader.page.locator('header .figures data').first().getAttribute('value');

  it('nothing is asked about accounts before the list of them is opened', async () => {
    const reader = await dashboard.openAs(user);
    await reader.page.getByRole('button', { name: 'Account shown: Main account' }).waitFor();
    await until(async () => (await shownValue(reader)) !== null);
    expect(reader.requests.filter((request) => request.endsWith('/account/group'))).to.deep.equal([]);
  });

  it('another one is chosen by the keyboard; pages, socket, ticket and other tabs are about it, after a reload too', async () => {
    await dashboard.order(user, BTC.asset, { px: '66000', sz: '0.1', tif: 'Ioc' });
    await dashboard.order(user, BTC.asset, { px: '60000', sz: '0.1' });
    const grid = await made('grid', 5_000);
    const fillsOf = (address?: string) => dashboard.stack.ask(user.apiKey, { type: 'userFills', user: address });
    const ofMaster = await fillsOf();
    const reader = await dashboard.openAs(user, '/markets/BTC');
    const other = await dashboard.tabOf(reader);
    await other.goto('/orders');
    await other.page.getByRole('table', { name: 'Open orders' }).waitFor();
    const sockets: string[] = [];
    reader.page.on('websocket', (socket) => sockets.push(socket.url()));

    await choose(reader, 'Main account', 'grid');
    await reader.sees('Account shown: grid');
    await other.page.getByRole('button', { name: 'Account shown: grid' }).waitFor();
    await other.sees('No open order.');
    await until(async () => (await shownValue(reader)) === '5000.0');
    expect(await other.page.locator('header .figures data').first().getAttribute('value')).to.equal('5000.0');

    const ticket = reader.page.getByRole('form', { name: 'Order in BTC' });
    await ticket.getByLabel('Size', { exact: true }).fill('0.002');
    await ticket.getByText('Fills at once').waitFor();
    await ticket.getByRole('button', { name: 'Buy BTC' }).dblclick();
    await ticket.getByText(/^Filled 0\.002 at /).waitFor();
    expect((await fillsOf(grid)).map(({ sz }: { sz: string }) => sz)).to.deep.equal(['0.002']);
    expect(await fillsOf()).to.deep.equal(ofMaster);
    expect(sockets, 'sockets that were opened meanwhile').to.deep.equal([]);

    await reader.follow('Positions');
    await until(async () => (await reader.rows('Open positions')).length === 1);
    expect((await reader.rows('Open positions'))[0]).to.contain('0.002');
    await reader.page.reload();
    await reader.page.getByRole('button', { name: 'Account shown: grid' }).waitFor();
    await until(async () => (await reader.rows('Open positions')).length === 1);
    expect((await reader.rows('Open positions'))[0]).to.contain('0.002');

    await choose(reader, 'grid', 'Main account');
    await until(async () => (await reader.rows('Open positions'))[0]?.includes('0.1') === true);
    expect(await reader.rows('Open positions')).to.have.length(1);
  });

  it('makes two accounts, moves USD once for a double click, trades in one; the sums are the API’s to the digit', async () => {
    const reader = await dashboard.openAs(user, '/group');
    const { page } = reader;
    for (const name of ['grid', 'hedge <b>']) {
      await page.getByLabel('Name of a new account').fill(name);
      await page.getByRole('button', { name: 'Make a sub-account' }).dblclick();
      await until(async () => (await reader.rows('Accounts')).some((row) => row.startsWith(name)));
    }
    await page.getByRole('button', { name: 'Move USD between accounts' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('USD', { exact: true }).fill('2500.000001');
    await dialog.getByRole('button', { name: 'Move it' }).dblclick();
    await dialog.waitFor({ state: 'detached' });

    const [, grid] = (await groupNow()).accounts;
    expect(grid?.account_value).to.equal('2500.000001');
    expect((await groupNow()).accounts.map(({ name }) => name)).to.deep.equal([null, 'grid', 'hedge <b>']);
    expect(await valuesOf(reader, 'Value')).to.deep.equal((await groupNow()).accounts.map(({ account_value: value }) => value));

    await page.getByRole('row', { name: /^grid/ }).getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'Account shown: grid' }).waitFor();
    await reader.follow('Markets');
    const ticket = page.getByRole('form', { name: 'Order in BTC' });
    await ticket.getByLabel('Size', { exact: true }).fill('0.002');
    await ticket.getByText('Fills at once').waitFor();
    await ticket.getByRole('button', { name: 'Buy BTC' }).click();
    await ticket.getByText(/^Filled 0\.002 at /).waitFor();

    await reader.goto('/group');
    await until(async () => (await valuesOf(reader, 'Positions')).join() === '0,1,0');
    const now = await groupNow();
    expect(await valuesOf(reader, 'Value')).to.deep.equal(now.accounts.map(({ account_value: value }) => value));
    const total = page.getByRole('region', { name: 'Together' }).locator('data').first();
    expect(await total.getAttribute('value')).to.equal(now.total.account_value);
    await page.getByRole('img', { name: /^Equity of the accounts, 1d: 3 accounts, together from/ }).waitFor();
    await page.getByRole('table', { name: 'Correlation of returns' }).waitFor();
    expect((await reader.rows('Correlation of returns'))[0]).to.match(/too few \(\d\)/);

    await page.getByRole('button', { name: 'Margin', exact: true }).click();
    expect((await reader.rows('Accounts'))[0]).to.match(/^grid/);
    await page
      .getByRole('row', { name: /^hedge/ })
      .getByRole('button', { name: 'Rename' })
      .click();
    await dialog.getByLabel('New name').fill('scalp');
    await dialog.getByRole('button', { name: 'Rename it' }).click();
    await until(async () => (await reader.rows('Accounts')).some((row) => row.startsWith('scalp')));
  });

  it('a transfer whose answer is lost is said to be unknown, and is made once', async () => {
    await act({ type: 'createSubAccount', name: 'grid' });
    const reader = await dashboard.openAs(user, '/group');
    const { page } = reader;
    reader.expects(/exchange/);
    const keys: (string | undefined)[] = [];
    await page.route('**/exchange', async (route) => {
      const request = route.request();
      keys.push(request.headers()['idempotency-key']);
      if (keys.length > 2) return route.continue();
      // The first two answers are lost: the server has done what was asked.
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Move USD between accounts' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('USD', { exact: true }).fill('100');
    await dialog.getByRole('button', { name: 'Move it' }).click();
    await dialog.getByText(/^No answer: unknown until/).waitFor();
    await dialog.getByText('What became of it is not known yet.').waitFor();
    await dialog.getByRole('button', { name: 'Ask for its outcome' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(new Set(keys).size, keys.join()).to.equal(1);
    expect(keys).to.have.length(3);
    expect((await groupNow()).accounts[1]?.account_value).to.equal('100.0');
    await until(async () => (await valuesOf(reader, 'Value'))[1] === '100.0');
  });

  it('a key is bound to the account that is chosen for it', async () => {
    const grid = await made('grid', 50);
    const reader = await dashboard.openAs(user, '/overview');
    const { page } = reader;
    reader.expects(/status of 503/);
    const busy = { status: 503, json: { code: 'busy', detail: 'All places are taken.' } };
    await page.route('**/account/group', (route) => route.fulfill(busy), { times: 1 });
    await reader.followTo('/keys');
    await reader.sees('All accounts are reached: they cannot be listed now, so none can be chosen.');
    await page.getByLabel('Name of the new key').fill('for grid');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Reaches').selectOption({ label: 'grid alone' });
    await page.getByLabel('With limits').check();
    await page.getByLabel('Largest order, USD').fill('1 000');
    await page.getByLabel('Leverage, at most').fill('3');
    await page.getByLabel(/^Good until/).fill('2099-01-31T12:00:00Z');
    // Where the API asks for a code there is a field, and the code goes with what was typed before. The page renews its token first.
    reader.expects(/status of 401/);
    const refused = { status: 401, json: { code: 'second_factor_required', detail: 'A code is asked for.' } };
    const isMaking = (request: Request): boolean => request.method() === 'POST' && request.url().endsWith('/v1/auth/api-keys');
    await page.route('**/v1/auth/api-keys', (route) =>
      isMaking(route.request()) && !('code' in route.request().postDataJSON()) ? route.fulfill(refused) : route.continue(),
    );
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Code of your app, or a recovery code').fill('123 456');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    const making = page.waitForRequest(isMaking);
    await page.getByRole('button', { name: 'Make a key' }).click();
    expect((await making).postDataJSON()).to.include({ name: 'for grid', account: grid, code: '123456' });
    const key = (await page.locator('.once code').textContent()) ?? '';
    await until(async () => (await reader.rows('API keys')).some((row) => /^for grid \| .* \| grid \|/.test(row)));
    const state = await dashboard.stack.ask(key, { type: 'clearinghouseState', user: user.address });
    expect(state.marginSummary.accountValue).to.equal('50.0');
    expect(await dashboard.stack.ask(key, { type: 'userRole', user: grid })).to.have.property('role', 'subAccount');
    expect((await reader.rows('API keys')).find((row) => row.startsWith('for grid'))).to.match(
      /read, tradeorders up to 1\u202f000 USDleverage up to 3until 2099-01-31 /,
    );
    const keyRow = page.getByRole('row', { name: /for grid/ });
    await keyRow.getByRole('button', { name: 'Limits' }).click();
    const limits = page.getByRole('dialog', { name: 'Limits of the key' });
    expect(await limits.getByLabel('Leverage, at most').inputValue()).to.equal('3');
    await limits.getByLabel('It may').selectOption({ label: 'look alone' });
    await limits.getByLabel('Largest order, USD').fill('');
    await limits.getByLabel('Leverage, at most').fill('');
    await limits.getByRole('button', { name: 'Set them' }).click();
    await until(async () => (await reader.rows('API keys')).some((row) => /^for grid .*\| readuntil 2099-01-31/.test(row)));
    await keyRow.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move the key?' });
    expect(await dialog.getByLabel('Reaches').inputValue(), 'what it reaches now').to.equal(grid);
    await dialog.getByLabel('Reaches').selectOption({ label: 'Main account alone' });
    await dialog.getByRole('button', { name: 'Move it' }).click();
    await until(async () => (await reader.rows('API keys')).some((row) => /^for grid \| .* \| Main account \|/.test(row)));
    expect((await dashboard.stack.ask(key, { type: 'clearinghouseState' })).marginSummary.accountValue).to.equal('9950.0');
  });

  it('where forks began and how far what-ifs are stands beside them, in both themes', async () => {
    await dashboard.order(user, BTC.asset, { px: '60000', sz: '0.1' });
    const fork = (body: object) => dashboard.stack.call('POST', '/v1/exchanges/perpx/account/fork', { key: user.apiKey, body });
    await fork({ name: 'rewind', seq: 2 });
    await fork({ name: 'no fees', seq: 2, what_if: { fees: { maker: '0', taker: '0' } } });
    await dashboard.order(user, BTC.asset, { px: '59000', sz: '0.1' });
    for (const theme of ['light', 'dark'] as const) {
      const reader = await dashboard.openAs(user, '/group');
      await reader.page.emulateMedia({ colorScheme: theme });
      await until(async () => {
        const rows = await reader.rows('Accounts');
        return (
          rows.some((row) => /^rewind \|.*\| Main account, entry 2 \|/.test(row)) &&
          rows.some((row) => /^no fees \|.*\| Main account, entry 2; what-if, 1 commands \|/.test(row))
        );
      });
      // The list of accounts to choose from marks them, too.
      await reader.page.getByRole('button', { name: 'Account shown: Main account' }).click();
      const choices = reader.page.locator('.accountChoices');
      for (const name of [/^rewind fork \d/, /^no fees what-if \d/]) await choices.getByRole('button', { name }).waitFor();
      expect(await accessibilityFaults(reader.page), theme).to.deep.equal([]);
    }
  });

  it('a what-if beside its source: both curves, the first entry where they differ, the evidence of both, in both themes', async () => {
    const { stack } = dashboard;
    const fork = async (name: string, terms: object): Promise<string> =>
      (
        await stack.call('POST', '/v1/exchanges/perpx/account/fork', {
          ...{ key: user.apiKey, body: { name, seq: 1, what_if: terms } },
        })
      ).body.address;
    const free = await fork('no fees', { fees: { maker: '0', taker: '0' } });
    await fork('the same', {});
    await dashboard.order(user, BTC.asset, { px: '66000', sz: '0.1', tif: 'Ioc' });
    const fee = (await stack.ask(user.apiKey, { type: 'userFills' })).at(-1).fee;
    await until(async () => (await stack.ask(user.apiKey, { type: 'userFills', user: free })).length > 0);
    for (const theme of ['light', 'dark'] as const) {
      const reader = await dashboard.openAs(user, '/group');
      const { page } = reader;
      await page.emulateMedia({ colorScheme: theme });
      await page
        .getByRole('row', { name: /^no fees/ })
        .getByRole('link', { name: 'Compare' })
        .click();
      await page.getByRole('heading', { name: /^Other fees, / }).waitFor();
      await page.getByRole('img', { name: /^Equity of both: now Main account .+ USD, no fees .+ USD\.$/ }).waitFor();
      const fees = page.getByRole('region', { name: 'Where they part' }).locator('dt:text-is("Fee, USD") + dd data');
      expect(await valuesIn(fees)).to.deep.equal([fee, '0.0']);
      expect(await page.getByRole('table', { name: 'Levels that the fill took from' }).count()).to.equal(2);
      await reader.sees(/The same fill at other fee rates: [\d.]+ USD here, 0 USD there\.$/);
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(widthBesideScreen), `${theme}, ${width}`).to.equal(0);
        expect(await accessibilityFaults(page), `${theme}, ${width}`).to.deep.equal([]);
      }
      await page.getByRole('button', { name: 'Show as table' }).click();
      const [now] = await reader.rows('Equity of both');
      expect(now?.split(' | ')).to.have.length(3);
      await page.getByRole('combobox', { name: 'Fork' }).selectOption({ label: 'the same' });
      await reader.sees('Nowhere so far: both did the same.');
      expect(new URL(page.url()).searchParams.get('with')).to.match(/^0x[0-9a-f]{40}$/);
      await page.getByRole('combobox', { name: 'Beside' }).selectOption({ label: 'no fees' });
      await page.getByRole('heading', { name: /^Other fees, / }).waitFor();
      // The evidence of a fill is a page of its account, which is shown from then on.
      const { tid } = (await stack.ask(user.apiKey, { type: 'userFills', user: free })).at(-1);
      await page.getByRole('link', { name: String(tid) }).click();
      await page.getByRole('heading', { name: `Fill ${tid}` }).waitFor();
    }
  });

  it('a user without forks is told what one is', async () => {
    const reader = await dashboard.openAs(user, '/group/compare');
    await reader.sees(/^There is no fork to compare\./);
    expect(await accessibilityFaults(reader.page)).to.deep.equal([]);
  });

  it('a sub-account begins with an address of the venue and follows it; its fills stand beside ours, in both themes', async () => {
    const { stack } = dashboard;
    const source = `0x${'7e'.repeat(20)}`;
    await stack.market.control({ op: 'setUser', user: source, balance: '10000' });
    const account = (await act({ type: 'createSubAccount', name: 'copy' })) as string;
    const reader = await dashboard.openAs(user, '/group');
    const { page } = reader;
    reader.expects(/import/);
    await page.getByRole('row', { name: /^copy/ }).getByRole('link', { name: 'Address' }).click();
    await page.getByLabel('Address, 0x').fill('0x12');
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Address, 0x').fill(source);
    await page.getByLabel('Scale').fill('0.5');
    await page.getByRole('button', { name: 'Do it' }).click();
    await reader.sees(/^It would begin with .* USD, 0 positions and 0 orders\.$/);
    expect((await groupNow()).accounts[1]?.account_value, 'nothing is done').to.equal('0.0');
    expect(await page.getByLabel('Scale').inputValue(), 'what was typed stays').to.equal('0.5');
    await page.getByLabel('Scale').fill('1');
    await page.getByRole('combobox', { name: 'What to do' }).selectOption({ label: 'Begin with it and follow it' });
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByRole('button', { name: 'Follow it no more' }).waitFor();
    await reader.sees('No fill of the address has come so far.');
    const mirror = async () => {
      return (await stack.call('GET', `/v1/exchanges/perpx/account/mirror?account=${account}`, { key: user.apiKey })).body.mirror;
    };
    await until(async () => (await mirror()).caught_up);
    await reader.goto(`/group/mirror?account=${account}`);
    await reader.sees('heard, and nothing is missed');

    const buy = { act: 'place', coin: 'BTC', side: 'B', px: '66000', sz: '0.01', oid: 1, tif: 'Ioc' } as const;
    await stack.market.control({ op: 'userAct', user: source, do: buy });
    await stack.market.control({ op: 'userAct', user: source, do: { act: 'fill', oid: 1, crossed: true } });
    const path = `/v1/exchanges/perpx/account/divergence?account=${account}`;
    const report = async () => (await stack.call('GET', path, { key: user.apiKey })).body;
    await until(async () => (await report()).total.fills === 1);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.getByRole('button', { name: 'Read it again' }).click();
      await until(async () => (await reader.rows('Fills of the address')).length === 1);
      const { causes, difference } = (await report()).total;
      const sums = page.getByRole('table', { name: 'What the difference comes from' }).locator('td[data-head="USD"] data');
      expect(await valuesIn(sums)).to.deep.equal(
        [causes.delay, causes.price, causes.missed, causes.partial, causes.fees, difference].map(({ usd }) => usd),
      );
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(widthBesideScreen), `${theme}, ${width}`).to.equal(0);
        expect(await accessibilityFaults(page), `${theme}, ${width}`).to.deep.equal([]);
      }
    }
    await page.getByRole('button', { name: 'Follow it no more' }).click();
    await page.getByRole('button', { name: 'Follow it', exact: true }).waitFor();
    await reader.goto('/group');
    await until(async () => (await reader.rows('Accounts')).some((row) => /^copy \|.*\| 0x7e7e…7e7e × 1\.0 \|/.test(row)));
  });

  it('saves the tearsheet of the account that is shown: a file that asks for nothing, and has a name as text', async () => {
    const account = await made('hedge <b>', 2_000);
    const order = { a: BTC.asset, b: true, p: '66000', s: '0.01', r: false, t: { limit: { tif: 'Ioc' } } };
    for (const [b, p] of [[true, '66000'] as const, [false, '64000'] as const]) {
      const action = { type: 'order', orders: [{ ...order, b, p }], grouping: 'na' };
      await dashboard.stack.exchange(user.apiKey, action, { envelope: { vaultAddress: account } });
    }
    const reader = await dashboard.openAs(user);
    await choose(reader, 'Main account', 'hedge <b>');
    await reader.follow('Performance');
    await reader.page.getByRole('link', { name: 'Tearsheet' }).click();
    const trades = reader.page.getByRole('table', { name: 'Newest trades', exact: true });
    await trades.waitFor();
    // The figures of one period are no answer for another.
    reader.expects(/status of 429/);
    await reader.page.route('**/figures?period=7d*', (route) =>
      route.fulfill({ status: 429, json: { code: 'too_many_reads', detail: 'Too many reads.' } }),
    );
    await reader.page.getByRole('button', { name: '7d' }).click();
    await reader.sees('Too many reads.');
    expect(await trades.count()).to.equal(0);
    await reader.page.getByRole('button', { name: 'all', exact: true }).click();
    await trades.waitFor();
    const shown = reader.page.locator('td[data-head="Net PnL"] data');
    const saving = reader.page.waitForEvent('download');
    await reader.page.getByRole('button', { name: 'Download as a file' }).click();
    const saved = await saving;
    await reader.sees('The file is among your downloads.');
    expect(saved.suggestedFilename()).to.equal(`${account}-tearsheet-all.html`);
    const path = join(tmpdir(), `paper-tearsheet-${process.pid}.html`);
    await saved.saveAs(path);
    const file = await reader.page.context().newPage();
    const requests: string[] = [];
    const faults: string[] = [];
    file.on('request', (request) => requests.push(request.url()));
    file.on('console', (message) => faults.push(message.text()));
    await file.goto(`file://${path}`);
    expect(await file.locator('h1').textContent()).to.equal('Tearsheet: hedge <b>');
    const pnls = file.getByRole('table', { name: 'Newest trades', exact: true }).locator('tbody td:last-child data');
    expect(await valuesIn(pnls))
      .to.deep.equal(await valuesIn(shown))
      .and.to.have.length.above(0);
    expect(await accessibilityFaults(file)).to.deep.equal([]);
    expect(requests).to.deep.equal([`file://${path}`]);
    expect(faults).to.deep.equal([]);
    await file.close();

    // All of it, as a file: when its last line says so.
    const form = reader.page.getByRole('region', { name: 'All of it, as a file' });
    const exported = async (kind: string, format: string): Promise<string> => {
      await form.getByLabel('Rows').selectOption(kind);
      await form.getByLabel('Form').selectOption(format);
      const [given] = await Promise.all([
        reader.page.waitForEvent('download'),
        form.getByRole('button', { name: 'Export' }).click(),
      ]);
      expect(given.suggestedFilename()).to.equal(`${account}-${kind}.${format}`);
      await given.saveAs(path);
      return readFileSync(path, 'utf8');
    };
    const csv = await exported('fills', 'csv');
    const rows = csv.split('\r\n').filter((row) => row.includes(',BTC,')).length;
    expect(rows).to.be.above(1);
    await form.getByText(`The file is among your downloads: whole, ${rows} rows.`).waitFor();
    const journal = await exported('journal', 'jsonl');
    await form.getByText(/^The file is among your downloads: whole, \d+ rows\.$/).waitFor();
    expect(journal.trimEnd().split('\n').at(-1)).to.match(/^\{"hash":"[0-9a-f]{64}","end":\{"complete":true/);
    await reader.page.route('**/export?*', (route) => route.fulfill({ contentType: 'text/csv', body: csv.slice(0, 300) }));
    await form.getByRole('button', { name: 'Export' }).click();
    await form.getByText('Nothing is saved. It broke off before its last line.').waitFor();
    expect(await accessibilityFaults(reader.page)).to.deep.equal([]);
    rmSync(path);
  });

  it('an account that has begun with an address is not said to follow it when that was refused', async () => {
    const source = `0x${'7f'.repeat(20)}`;
    await dashboard.stack.market.control({ op: 'setUser', user: source, balance: '1000' });
    const account = (await act({ type: 'createSubAccount', name: 'copy' })) as string;
    const reader = await dashboard.openAs(user, `/group/mirror?account=${account}`);
    const { page } = reader;
    reader.expects(/status of 503/);
    await page.route('**/account/mirror?*', (route) =>
      route.fulfill({ status: 503, json: { code: 'busy', detail: 'All places are taken.' } }),
    );
    await page.getByLabel('Address, 0x').fill(source);
    await page.getByRole('combobox', { name: 'What to do' }).selectOption({ label: 'Begin with it and follow it' });
    await page.getByRole('button', { name: 'Do it' }).click();
    await reader.sees('It has begun with the address, and does not follow it: All places are taken.');
    expect(await page.locator('dt:text-is("Follows it") + dd').textContent()).to.equal('no');
    await page.unroute('**/account/mirror?*');
    await page.getByRole('button', { name: 'Follow it', exact: true }).click();
    await page.getByRole('button', { name: 'Follow it no more' }).click();
    await page.getByRole('button', { name: 'Follow it', exact: true }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('an answer about the accounts that was overtaken, or outlived its session, changes nothing', async () => {
    const other = await dashboard.stack.register();
    const reader = await dashboard.openAs(user, '/group');
    const { page } = reader;
    await until(async () => (await reader.rows('Accounts')).length === 1);
    /** The next answer about the accounts is held from now on. */
    const hold = async (): Promise<() => Promise<void>> => {
      const held = new Promise<Route>((resolve) => void page.route('**/account/group', resolve, { times: 1 }));
      await page.getByRole('button', { name: /^Account shown:/ }).click();
      const route = await held;
      const response = await route.fetch();
      await page.keyboard.press('Escape');
      return async () => {
        const finished = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/account/group'));
        await route.fulfill({ response });
        await finished;
      };
    };
    const letOld = await hold();
    await page.getByLabel('Name of a new account').fill('grid');
    await page.getByRole('button', { name: 'Make a sub-account' }).click();
    await page.getByRole('row', { name: /^grid/ }).getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'Account shown: grid' }).waitFor();
    await letOld();
    await page.getByRole('button', { name: 'Account shown: grid' }).waitFor();
    expect(await reader.rows('Accounts')).to.have.length(2);

    // Of the main account, on a page that does not ask for the accounts itself.
    await choose(reader, 'grid', 'Main account');
    await reader.followTo('/overview');
    const letForeign = await hold();
    await page.getByRole('banner').getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').fill(other.email);
    await page.getByLabel('Password').fill(other.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Account shown: Main account' }).waitFor();
    await letForeign();
    await reader.followTo('/keys');
    await until(async () => (await reader.rows('API keys')).length > 0);
    expect(await page.getByLabel('Reaches').count(), 'accounts of the user before').to.equal(0);
  });

  it('a chosen account that the user does not have gives way to the main account', async () => {
    const reader = await dashboard.openAs(user);
    await reader.page.evaluate(`localStorage.setItem('account', '0x${'ab'.repeat(20)}')`);
    await reader.page.reload();
    await reader.page.getByRole('button', { name: 'Account shown: Main account' }).waitFor();
    await until(async () => (await shownValue(reader)) !== null);
  });
});

const valuesIn = (found: Locator): Promise<(string | null)[]> =>
  found.evaluateAll((cells: readonly Cell[]) => cells.map((cell) => cell.getAttribute('value')));

interface GroupNow {
  readonly accounts: readonly { readonly name: string | null; readonly account_value: string }[];
  readonly total: { readonly account_value: string };
}

/** A column of the table of accounts, as the server's text where it is money. */
function valuesOf({ page }: WatchedPage, head: string): Promise<(string | null)[]> {
  const cells = page.getByRole('table', { name: 'Accounts' }).locator(`tbody td[data-head="${head}"] > *`);
  return cells.evaluateAll((found: readonly Cell[]) => found.map((cell) => cell.getAttribute('value') ?? cell.textContent));
}

interface Cell {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
}

/** Chooses another account as one does without a mouse. */
async function choose(reader: WatchedPage, from: string, to: string): Promise<void> {
  const { page } = reader;
  await page.getByRole('button', { name: `Account shown: ${from}` }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.accountChoices').getByRole('button', { name: to }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Account shown: ${to}` }).waitFor();
}
