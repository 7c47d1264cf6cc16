import { expect } from 'chai';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';

describe('dashboard: the order ticket', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  useDashboard((started) => {
    dashboard = started;
  });

  it('shows what the order would do, and sends it once for a double click', async () => {
    const { stack } = dashboard;
    const account = await stack.register();
    const reader = await dashboard.openAs(account, '/markets/BTC');
    const { page } = reader;
    const ticket = page.getByRole('form', { name: 'Order in BTC' });
    await ticket.getByLabel('Size', { exact: true }).fill('0.002');
    await ticket.getByText('Fills at once').waitFor();
    await ticket.getByText('Liquidation after').waitFor();
    await ticket.getByRole('button', { name: 'Buy BTC' }).dblclick();
    await ticket.getByText(/^Filled 0\.002 at /).waitFor();
    const fills = await stack.ask(account.apiKey, { type: 'userFills' });
    expect(new Set(fills.map(({ oid }: { oid: number }) => oid)).size).to.equal(1);
  });
});
