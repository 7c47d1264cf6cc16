import { expect } from 'chai';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { type DashboardStack, useDashboard } from '../../support/browser/dashboardStack.ts';

describe('dashboard: what an operator does', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  useDashboard((started) => {
    dashboard = started;
  });

  it('finds a user, grants a plan after the word and the password, and sees the act in the list', async () => {
    const { stack } = dashboard;
    const [operator, user] = [await stack.register(), await stack.register()];
    await stack.mongo.db
      .collection<{ _id: string }>('users')
      .updateOne({ _id: operator.userId }, { $set: { roles: ['operator'] } });
    const reader = await dashboard.openAs(operator, '/admin/users');
    const { page } = reader;
    // The first act is refused until the password is confirmed, which the browser tells on its console.
    reader.expects(/grant\)$/);
    await page.getByLabel(/E-mail begins with/).fill(user.email.toUpperCase());
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: user.email }).click();
    await reader.sees(user.address);

    await page.getByLabel('Days from now').fill('7');
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const act = dialog.getByRole('button', { name: 'Grant it' });
    expect(await act.isDisabled()).to.equal(true);
    await dialog.getByLabel(/Type grant to go on/).fill('grant');
    await act.click();
    await dialog.getByLabel('Your password').fill(operator.password);
    await act.click();
    await reader.sees('pro, active');
    const [row] = await stack.mongo.db.collection('users').find({ email: user.email }).toArray();
    expect(row).to.include({ plan: 'pro' });

    // Confirmed: the next act asks for its word alone.
    await page.getByRole('button', { name: 'End all' }).click();
    await dialog.getByLabel(/Type end to go on/).fill('end');
    await dialog.getByRole('button', { name: 'End them' }).click();
    await reader.sees('Not logged in anywhere.');
    await page.getByRole('link', { name: 'Acts' }).click();
    await reader.sees(`grant ${user.userId} pro 7 days`);
    await reader.sees(`end sessions ${user.userId}`);
  });

  it('removes a parked command, which says what it was', async () => {
    const { stack } = dashboard;
    const operator = await stack.register();
    await stack.mongo.db
      .collection<{ _id: string }>('users')
      .updateOne({ _id: operator.userId }, { $set: { roles: ['operator'] } });
    const fields = [
      'account',
      operator.address,
      'command',
      'no command',
      'reason',
      '<b>a rule</b> threw',
      't',
      String(Date.now()),
    ];
    await stack.redis.xadd(shardKeys.dead(0), '*', ...fields);
    const reader = await dashboard.openAs(operator, '/admin/quarantine');
    reader.expects(/drop\)$/);
    await reader.sees('<b>a rule</b> threw');
    await reader.page.getByRole('button', { name: 'Remove' }).click();
    const dialog = reader.page.getByRole('dialog');
    await dialog.getByLabel(/Type remove to go on/).fill('remove');
    await dialog.getByRole('button', { name: 'Remove it' }).click();
    await dialog.getByLabel('Your password').fill(operator.password);
    await dialog.getByRole('button', { name: 'Remove it' }).click();
    await reader.sees('No command is parked.');
    expect(await stack.redis.xlen(shardKeys.dead(0))).to.equal(0);
  });

  it('a user who is none sees no page of operators, and no way to them', async () => {
    const user = await dashboard.stack.register();
    const reader = await dashboard.openAs(user, '/admin/users');
    await reader.sees('Only operators have this page.');
    await reader.page.getByRole('button', { name: 'Account', exact: true }).click();
    expect(await reader.page.getByRole('link', { name: 'Operators' }).count()).to.equal(0);
    expect(reader.requests.filter((request) => request.includes('/v1/admin/'))).to.deep.equal([]);
  });
});
