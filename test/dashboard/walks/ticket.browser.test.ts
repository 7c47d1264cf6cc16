import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC, SOL } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const EXCHANGE = 'POST /v1/exchanges/perpx/exchange';

describe('dashboard: the order ticket', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let account: TestAccount;
  let reader: WatchedPage;
  /** Actions that the page has sent, without dry runs. */
  let sent: { readonly type: string }[];
  useDashboard((started) => {
    dashboard = started;
  });
  beforeEach(async () => {
    account = await dashboard.stack.register();
    sent = [];
  });

  async function open(coin: string): Promise<void> {
    reader = await dashboard.openAs(account, `/markets/${coin}`);
    reader.page.on('request', (request) => {
      const body = request.postData();
      if (`${request.method()} ${new URL(request.url()).pathname}` !== EXCHANGE || body === null) return;
      const { action, dryRun } = JSON.parse(body);
      if (dryRun !== true) sent.push(action);
    });
  }
  const ticket = () => reader.page.getByRole('form', { name: /^Order in / });
  const fill = (label: string, value: string) => ticket().getByLabel(label, { exact: true }).fill(value);
  const choose = (name: string) => ticket().getByRole('button', { name, exact: true }).click();
  /** The server's texts beside a term of what the order would do. */
  const toldOf = (term: string): Promise<(string | null)[]> =>
    ticket()
      .locator('.told dl.facts > dt')
      .getByText(term, { exact: true })
      .locator('xpath=following-sibling::dd[1]')
      .locator('data')
      .evaluateAll(valuesOf);
  /** Resolves when the dry run of the ticket as it is now is shown. @param term of it */
  const isTold = async (term: string, ...values: readonly string[]): Promise<void> =>
    until(async () => (await toldOf(term)).map(Number).join() === values.map(Number).join());
  const ask = (body: object) => dashboard.stack.ask(account.apiKey, body);

  it('shows what the order would do, and that is what happens; it is sent once for a double click', async () => {
    await open('BTC');
    await fill('Size', '0.012');
    await isTold('Fills at once', '0.012');
    const [average] = await toldOf('Average price');
    const [fee] = await toldOf('Fee');
    const [, marginUsed] = await toldOf('Margin used');
    const [, free] = await toldOf('Free margin');
    const [position] = await toldOf('Position after');
    const [liquidation] = await toldOf('Liquidation after');
    const walk = await reader.page.getByRole('table', { name: 'Walk of the book' }).locator('td data').evaluateAll(valuesOf);
    await ticket().getByRole('button', { name: 'Buy BTC' }).dblclick();
    await ticket().getByText(`Filled 0.012 at ${average}`).waitFor();
    expect(sent).to.have.length(1);

    const fills: readonly { oid: number; px: string; sz: string; fee: string }[] = await ask({ type: 'userFills' });
    expect(new Set(fills.map(({ oid }) => oid)).size).to.equal(1);
    const taken = fills.toReversed().map(({ px, sz }) => [px, sz]);
    expect(taken).to.deep.equal([
      [walk[0], walk[3]],
      [walk[4], walk[7]],
    ]);
    expect(fills.reduce((sum, fill) => sum + Number(fill.fee), 0)).to.be.closeTo(Number(fee), 1e-9);
    const { marginSummary, assetPositions } = await ask({ type: 'clearinghouseState' });
    expect(Number(marginSummary.totalMarginUsed)).to.equal(Number(marginUsed));
    expect(Number(marginSummary.accountValue) - Number(marginSummary.totalMarginUsed)).to.be.closeTo(Number(free), 1e-9);
    expect(Number(assetPositions[0].position.szi)).to.equal(Number(position));
    expect(Number(Number(assetPositions[0].position.liquidationPx ?? 0).toPrecision(6))).to.equal(Number(liquidation ?? 0));
  });

  it('stop, take profit and a bracket are the orders that the API shows; all are canceled by one act', async () => {
    await dashboard.order(account, SOL.asset, { px: '101', sz: '4', tif: 'Ioc' });
    await open('SOL');
    const place = async (count: number): Promise<void> => {
      const send = ticket().locator('button[type=submit]');
      await until(() => send.isEnabled());
      await send.dblclick();
      await until(async () => (await ask({ type: 'frontendOpenOrders' })).length === count);
      await until(async () => (await reader.rows('Open orders')).length === count);
    };
    await choose('Sell');
    await choose('Stop');
    await ticket().getByLabel('Reduce only').check();
    await fill('Trigger (mark)', '95');
    await fill('Size', '1.5');
    await place(1);
    await choose('Take profit');
    await fill('Trigger (mark)', '120');
    await fill('Size', '2');
    await place(2);
    await choose('Buy');
    await choose('Limit');
    await ticket().getByLabel('Reduce only').uncheck();
    await fill('Limit price', '99');
    await fill('Size', '3');
    await fill('Take profit', '130');
    await fill('Stop loss', '90');
    await isTold('Rests', '3', '99');
    await place(5);
    expect(sent.map(({ type }) => type)).to.deep.equal(['order', 'order', 'order']);
    const shown: readonly Shown[] = await ask({ type: 'frontendOpenOrders' });
    expect(shown.map(factsOf)).to.have.members([
      'Stop Market A 1.5 95.0 reduce-only',
      'Take Profit Market A 2.0 120.0 reduce-only',
      'Limit B 3.0 99.0',
      'Take Profit Market A 3.0 130.0 reduce-only',
      'Stop Market A 3.0 90.0 reduce-only',
    ]);
    const rows = (await reader.rows('Open orders')).join('\n');
    for (const text of ['120', '95']) expect(rows).to.include(text);

    await reader.follow('Orders');
    await reader.page.getByRole('button', { name: 'Cancel all' }).click();
    await reader.page.getByRole('dialog').getByRole('button', { name: 'Cancel all' }).dblclick();
    await reader.sees('No open order.');
    expect(sent.slice(3).map(({ type }) => type)).to.deep.equal(['cancel']);
    expect(await ask({ type: 'frontendOpenOrders' })).to.deep.equal([]);
  });

  it('leverage and margin mode are set once; reduce-only only reduces, and Close ends the position', async () => {
    await open('BTC');
    await ticket().getByTitle('Change leverage and margin mode').click();
    const dialog = reader.page.getByRole('dialog');
    await dialog.getByLabel(/^Leverage, 1 to 40/).fill('7');
    await dialog.getByLabel('Margin mode').selectOption('isolated');
    await dialog.getByRole('button', { name: 'Set 7x isolated' }).dblclick();
    await ticket().getByRole('button', { name: '7x isolated', exact: true }).waitFor();
    expect(sent.map(({ type }) => type)).to.deep.equal(['updateLeverage']);
    const { leverage } = await ask({ type: 'activeAssetData', coin: 'BTC', user: account.address });
    expect(leverage).to.include({ type: 'isolated', value: 7 });

    await dashboard.order(account, BTC.asset, { px: '66000', sz: '0.02', tif: 'Ioc' });
    await until(async () => (await reader.rows('Open positions')).length === 1);
    await choose('Sell');
    await ticket().getByLabel('Reduce only').check();
    await fill('Size', '0.005');
    await isTold('Position after', '0.015');
    await ticket().getByRole('button', { name: 'Sell BTC' }).dblclick();
    await ticket()
      .getByText(/^Filled 0\.005 at /)
      .waitFor();
    const szi = async (): Promise<string | undefined> =>
      (await ask({ type: 'clearinghouseState' })).assetPositions[0]?.position.szi;
    expect(await szi()).to.equal('0.015');
    // More than there is: no more than that is sold.
    await choose('Buy');
    await fill('Size', '0.005');
    await ticket().locator('.told .error').waitFor();
    await reader.page.getByRole('button', { name: 'Close', exact: true }).click();
    await dialog.getByRole('button', { name: 'Close it' }).dblclick();
    await until(async () => (await reader.rows('Open positions')).length === 0);
    expect(await szi()).to.equal(undefined);
    expect(sent.map(({ type }) => type)).to.deep.equal(['updateLeverage', 'order', 'order']);
  });
});

interface Shown {
  readonly orderType: string;
  readonly side: string;
  readonly sz: string;
  readonly limitPx: string;
  readonly triggerPx: string;
  readonly isTrigger: boolean;
  readonly reduceOnly: boolean;
}

/** An order as one line. */
const factsOf = ({ orderType, side, sz, limitPx, triggerPx, isTrigger, reduceOnly }: Shown): string =>
  [orderType, side, sz, isTrigger ? triggerPx : limitPx, ...(reduceOnly ? ['reduce-only'] : [])].join(' ');

/** Of `data` elements: the exact texts of the server behind what is shown. */
const valuesOf = (elements: readonly { getAttribute(name: string): string | null }[]): (string | null)[] =>
  elements.map((element) => element.getAttribute('value'));
