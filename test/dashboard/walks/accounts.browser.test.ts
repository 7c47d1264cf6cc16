import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
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

  it('a chosen account that the user does not have gives way to the main account', async () => {
    const reader = await dashboard.openAs(user);
    await reader.page.evaluate(`localStorage.setItem('account', '0x${'ab'.repeat(20)}')`);
    await reader.page.reload();
    await reader.page.getByRole('button', { name: 'Account shown: Main account' }).waitFor();
    await until(async () => (await shownValue(reader)) !== null);
  });
});

/** Chooses another account as one does without a mouse. */
async function choose(reader: WatchedPage, from: string, to: string): Promise<void> {
  const { page } = reader;
  await page.getByRole('button', { name: `Account shown: ${from}` }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.accountChoices').getByRole('button', { name: to }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Account shown: ${to}` }).waitFor();
}
