import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { writeEnvelope } from '../../../src/actors/core/messages/envelope.ts';
import { writeQuarantineRecord } from '../../../src/actors/core/messages/quarantineRecord.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import type { DashboardStack } from '../../support/browser/dashboardStack.ts';
import { useDashboard } from '../../support/browser/useDashboard.ts';
import type { WatchedPage } from '../../support/browser/watchedPage.ts';
import { BTC } from '../../support/faults/coins.ts';
import type { TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const CODE = 'WALK20';
const ASKS_PASSWORD = 'Your password is asked for: it holds for 15 minutes.';
const { SHARDS } = readConfig({});

describe('dashboard: what operators see and do', function () {
  this.timeout(600_000);
  let dashboard: DashboardStack;
  let operator: TestAccount;
  let user: TestAccount;
  useDashboard((started) => {
    dashboard = started;
  });
  before(async () => {
    operator = await dashboard.stack.register();
    const users = dashboard.stack.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: operator.userId }, { $set: { roles: ['operator'] } });
  });
  beforeEach(async () => {
    user = await dashboard.stack.register();
  });

  // biome-ignore lint/suspicious/noExplicitAny: as in Answer
  const get = async (path: string, { token }: TestAccount): Promise<{ status: number; body: any }> => {
    const answer = await fetch(`${dashboard.stack.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: await answer.json() };
  };

  it('a user without the role is told so; nothing is asked for, and what is asked for all the same is refused', async () => {
    const reader = await dashboard.openAs(user, '/admin/users');
    await reader.sees('Only operators have this page.');
    expect(reader.requests.filter((request) => request.includes('/v1/admin'))).to.deep.equal([]);
    await reader.page.getByRole('button', { name: 'Account', exact: true }).click();
    await reader.page.getByRole('button', { name: 'Log out' }).waitFor();
    expect(await reader.page.getByRole('link', { name: 'Operators' }).count()).to.equal(0);
    const { status, body } = await get('/v1/admin/users', user);
    expect([status, body.code]).to.deep.equal([403, 'not_operator']);
  });

  it('an act asks for the password, which holds for 15 minutes: a plan is granted, all sessions are ended', async () => {
    const own = await dashboard.openAs(user, '/connect');
    own.expects(/401|WebSocket/);
    const reader = await dashboard.openAs(operator);
    reader.expects(/403/);
    await reader.page.getByRole('button', { name: 'Account', exact: true }).click();
    await reader.follow('Operators');
    await reader.sees('Shards with an owner');
    await reader.follow('Users');
    await reader.page.getByRole('searchbox').fill(user.email);
    await reader.page.getByRole('button', { name: 'Find' }).click();
    await until(async () => (await reader.rows('Users')).length === 1);
    await reader.follow(user.email);

    await reader.page.getByLabel('Days from now').fill('10');
    await reader.page.getByRole('button', { name: 'Grant', exact: true }).click();
    await act(reader, 'Grant it', { word: 'grant', password: operator.password });
    await reader.sees('pro, active');
    expect((await get('/v1/auth/me', user)).body).to.include({ plan: 'pro', subscription_status: 'active' });

    // Confirmed a moment ago: not asked for again, until it is 15 minutes old.
    await reader.page.getByRole('button', { name: 'End all', exact: true }).click();
    await act(reader, 'End them', { word: 'end' });
    await own.page.waitForURL(/\/login/);
    const sessions = dashboard.stack.mongo.db.collection('sessions');
    const old = new Date(Date.now() - 15 * 60_000);
    expect(
      (await sessions.updateMany({ userId: operator.userId }, { $set: { operatorConfirmedAt: old } })).matchedCount,
    ).to.be.above(0);
    await reader.page.getByRole('button', { name: 'Grant', exact: true }).click();
    await act(reader, 'Grant it', { word: 'grant', password: operator.password });
    await reader.follow('Acts');
    await until(async () => (await reader.rows('Acts')).filter((row) => row.includes(`grant ${user.userId}`)).length === 2);
  });

  it('a discount code is made, taken, paid with and ended; its invoice is paid and given back', async () => {
    const reader = await dashboard.openAs(operator, '/admin/discounts');
    reader.expects(/403/);
    await reader.page.getByLabel('New code').fill(CODE);
    await reader.page.getByLabel('Takes off').fill('20');
    await reader.page.getByRole('button', { name: 'Make', exact: true }).click();
    await act(reader, 'Make it', { password: operator.password });
    await until(async () => (await reader.rows('Discount codes')).some((row) => row.startsWith(`${CODE} | 20 % |`)));

    const payer = await dashboard.openAs(user, '/billing');
    payer.expects(/400/);
    await payer.page.getByLabel('Discount code').fill(CODE);
    await payer.page.getByRole('button', { name: 'Apply' }).click();
    await payer.sees(`${CODE}: 20 % off your next invoice.`);
    await payer.page.getByRole('button', { name: 'Choose pro' }).click();
    await payer.sees('This invoice waits for its payment.');
    const [invoice] = (await get('/v1/billing/invoices?limit=20', user)).body.items;
    expect(Number(invoice.discount_usd)).to.equal(0.2 * (Number(invoice.amount_usd) + Number(invoice.discount_usd)));

    await reader.goto(`/admin/invoices?user=${user.userId}`);
    await until(async () => (await reader.rows('Invoices')).some((row) => row.includes(`${invoice.discount_usd} ${CODE}`)));
    await reader.page.getByRole('button', { name: 'Pay', exact: true }).click();
    await act(reader, 'Pay it', { word: 'pay' });
    await payer.sees('Paid, thank you. The plan holds from now on.');
    await reader.page.getByRole('button', { name: 'Refund', exact: true }).click();
    await act(reader, 'Refund it', { word: 'refund' });
    await until(async () => (await reader.rows('Invoices')).some((row) => row.includes('refunded')));

    await reader.follow('Discount codes');
    await reader.page.getByRole('row', { name: CODE }).getByRole('button', { name: 'End' }).click();
    await act(reader, 'End it', { word: 'end' });
    await until(async () => (await reader.page.getByRole('row', { name: CODE }).getByRole('button').count()) === 0);
    const late = await dashboard.openAs(await dashboard.stack.register(), '/billing');
    late.expects(/400/);
    await late.page.getByLabel('Discount code').fill(CODE);
    await late.page.getByRole('button', { name: 'Apply' }).click();
    await late.page.getByRole('alert').waitFor();
  });

  it('shards and jobs are shown; a halted account is lifted and a parked command is done, by a click each', async () => {
    const { stack } = dashboard;
    const { address } = user;
    const shard = shardOf(address, SHARDS);
    await dashboard.order(user, BTC.asset, { px: '66000', sz: '0.01', tif: 'Ioc' });
    // As a fault of the rules would have left it: the next owner finds the account halted, and a command parked.
    await stack.kill('actors-0');
    await stack.redis.hset(
      shardKeys.quarantine(shard),
      address,
      writeQuarantineRecord({ reason: 'placeOrders: a rule failed', atMs: Date.now(), seq: 1 }),
    );
    const command: AccountCommand = { type: 'updateLeverage', asset: BTC.asset, marginMode: 'cross', leverage: 7 };
    const text = writeEnvelope({ id: { incarnation: 'walk', counter: 1 }, requestId: 'walk', command }, NEWEST_FORMAT);
    await stack.redis.xadd(
      ...[shardKeys.dead(shard), '*', 'account', address, 'command', text],
      ...['reason', 'Error: a rule failed', 't', String(Date.now())],
    );
    await stack.restart('actors-0');
    await stack.waitHealthy();
    expect((await stack.info(user.apiKey, { type: 'openOrders' })).body.code).to.equal('account_quarantined');

    const reader = await dashboard.openAs(operator, '/admin/shards');
    reader.expects(/403/);
    const row = async (): Promise<string[]> =>
      (await reader.rows('Shards')).map((text) => text.split(' | ')).find(([name]) => name === String(shard)) ?? [];
    await until(async () => (await row()).slice(-2).join() === '1,1');
    expect(await reader.rows('Shards')).to.have.length(SHARDS);
    await reader.follow('Jobs');
    await until(async () => (await reader.rows('Jobs')).some((text) => text.startsWith('funding')));

    await reader.follow('Halted and parked');
    await until(async () => (await reader.rows('Halted accounts')).some((text) => text.includes(address)));
    await reader.page.getByRole('button', { name: 'Lift', exact: true }).click();
    await act(reader, 'Lift it', { word: 'lift', password: operator.password });
    await reader.sees('No account is halted.');
    expect(await stack.ask(user.apiKey, { type: 'userFills' })).to.have.length.above(0);

    await reader.page.getByRole('button', { name: 'Do it after all' }).click();
    await act(reader, 'Do it', { word: 'requeue' });
    await reader.sees('No command is parked.');
    const { leverage } = await stack.ask(user.apiKey, { type: 'activeAssetData', coin: 'BTC', user: address });
    expect(leverage.value).to.equal(7);
  });
});

interface Given {
  /** Typed first. */
  readonly word?: string;
  /** Given when it is asked for, which it must be; not given, it must not be. */
  readonly password?: string;
}

/** Goes through with an act of an operator. @param name of the button that does it */
async function act({ page }: WatchedPage, name: string, { word, password }: Given): Promise<void> {
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name, exact: true });
  if (word !== undefined) {
    expect(await button.isDisabled(), 'without its word').to.equal(true);
    await dialog.getByLabel(/^Type /).fill(word);
  }
  await button.click();
  if (password !== undefined) {
    await dialog.getByText(ASKS_PASSWORD).waitFor();
    await dialog.getByLabel('Your password').fill(password);
    await button.click();
  }
  const told = async (): Promise<string> => (await dialog.getByRole('alert').allTextContents()).join();
  await until(async () => {
    const text = await told();
    // The owner of a shard may have no time on a busy machine: nothing was done then.
    if (text.includes('took it up')) await button.click();
    else if (text !== '' && !text.startsWith(ASKS_PASSWORD)) throw new Error(`${name}: ${text}`);
    return (await dialog.count()) === 0;
  });
}
