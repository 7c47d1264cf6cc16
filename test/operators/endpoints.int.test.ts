// Looks and acts of operators below /v1/admin, through HTTP on real stores, and the rows that acts leave.
import { expect } from 'chai';
import { changeRole } from '../../src/operators/acts/changeUser.ts';
import { OPERATORS } from '../../src/shared/mongo/auditLog.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { type Answer, ApiNode, type TestUser } from '../support/apiNode.ts';
import { useStores } from '../support/useStores.ts';

const DAY_MS = 86_400_000;
const ACCOUNT = `0x${'7'.repeat(40)}`;

describe('/v1/admin: what operators see and do', function () {
  this.timeout(600_000);
  const stores = useStores();
  let node: ApiNode;
  let operator: TestUser;
  let user: TestUser;

  before(async () => {
    const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '1000000', ANONYMOUS_REQUESTS_PER_MINUTE: '1000000', SHARDS: '2' };
    node = await ApiNode.start(stores, { env });
    operator = await node.register('olga@example.com');
    await changeRole(
      { billing: node.billing, redis: node.redis, mongo: node.mongo },
      { name: operator.id, role: 'operator', isGranted: true },
    );
    await post('confirm', { password: 'a good password' });
    user = await node.register();
  });
  after(() => node.stop());

  const bearer = ({ token }: TestUser): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const get = (path: string, who = operator): Promise<Answer> =>
    node.request('GET', path.startsWith('/') ? path : `/v1/admin/${path}`, { headers: bearer(who) });
  const post = (path: string, body?: object): Promise<Answer> =>
    body === undefined
      ? node.request('POST', `/v1/admin/${path}`, { headers: bearer(operator) })
      : node.post(`/v1/admin/${path}`, body, bearer(operator));
  const done = async (path: string, body?: object) => {
    const answer = await post(path, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  /** All rows of a list, by its cursor. */
  const all = async (path: string, limit: number) => {
    const items: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const joint = path.includes('?') ? '&' : '?';
      const { body, status, text } = await get(`${path}${joint}limit=${limit}${cursor && `&cursor=${cursor}`}`);
      expect(status, text).to.equal(200);
      expect(body.items.length).to.be.at.most(limit);
      items.push(...body.items);
      cursor = body.next_cursor;
    }
    return items;
  };
  const operatorRows = async () =>
    (await node.billing.audit.page(OPERATORS, { limit: 500 })).map(({ actor, action, outcome, detail }) =>
      [actor, action, outcome, detail].join(' '),
    );

  it('a profile says who is an operator', async () => {
    expect((await get('/v1/auth/me')).body.roles).to.deep.equal(['operator']);
    expect((await get('/v1/auth/me', user)).body.roles).to.deep.equal([]);
  });

  it('finds users by the beginning of the address, page by page, and one by id, account or key', async () => {
    for (let i = 0; i < 5; i++) await node.register(`many-${i}@example.com`);
    await node.register('maný@example.com');
    const emails = async (q: string, limit = 2) =>
      (await all(`users?q=${encodeURIComponent(q)}`, limit)).map(({ email }) => email);
    expect(await emails('MANY-')).to.deep.equal([0, 1, 2, 3, 4].map((i) => `many-${i}@example.com`));
    expect(await emails('man')).to.have.length(6);
    expect(await emails('many-.*')).to.deep.equal([]);
    const everyone = await node.mongo.db.collection('users').countDocuments();
    expect(await all('users', 3)).to.have.length(everyone);
    const { address } = (await get('/v1/auth/me', user)).body;
    const { id: keyId } = await node.createKey(user);
    for (const name of [user.id, address, keyId]) expect(await emails(name), name).to.deep.equal([user.email]);
    expect(await emails('user_0')).to.deep.equal([]);
  });

  it('shows a user with keys and sessions, and no secret', async () => {
    const { status, body, text } = await get(`users/${user.id}`);
    expect(status).to.equal(200);
    expect(body).to.include({ id: user.id, email: user.email, plan: 'basic', status: 'trial', second_factor: false });
    expect([body.sessions.length, body.api_keys.length]).to.deep.equal([1, 1]);
    expect(text).to.not.match(/argon2|digest|passwordHash|"salt"/);
    expect((await get('users/user_0')).body.code).to.equal('unknown_target');
  });

  it('grants a plan, which the user sees in the own audit log; an operator’s name is not in it', async () => {
    const { until } = await done(`users/${user.id}/grant`, { plan: 'pro', days: 10 });
    expect(Date.parse(until) - Date.now()).to.be.within(9.9 * DAY_MS, 10 * DAY_MS);
    expect((await get('/v1/auth/me', user)).body).to.include({ plan: 'pro', subscription_status: 'active' });
    const own = (await get('/v1/auth/audit', user)).body.items.find(
      ({ action }: { action: string }) => action === 'plan.changed',
    );
    expect(own).to.include({ actor: 'operator', outcome: 'ok' });
    // Repeated, e.g. after an answer that was lost, it gives no more days.
    const again = await done(`users/${user.id}/grant`, { plan: 'pro', days: 10 });
    expect(Date.parse(again.until) - Date.now()).to.be.at.most(10 * DAY_MS);
  });

  it('ends the sessions of a user: the token is good for nothing any more', async () => {
    const other = await node.register();
    expect(await done(`users/${other.id}/end-sessions`)).to.include({ id: other.id, ended: 1 });
    expect((await get('/v1/auth/me', other)).status).to.equal(401);
  });

  it('makes, lists and ends discount codes; what is wrong with one is said', async () => {
    await done('discounts', { code: 'spring', kind: 'percent', value: '20', uses_max: 5 });
    await done('discounts', {
      code: 'FIVE',
      kind: 'amount',
      value: '5',
      uses_max: 1,
      applies_to: 'all',
      expires_at: '2099-01-31',
    });
    expect((await post('discounts', { code: 'SPRING', kind: 'percent', value: '1', uses_max: 1 })).body.code).to.equal(
      'act_refused',
    );
    for (const value of ['0', '101', '5.5']) {
      expect((await post('discounts', { code: 'X', kind: 'percent', value, uses_max: 1 })).body.code, value).to.equal(
        'invalid_request',
      );
    }
    expect(await all('discounts', 1)).to.deep.equal([
      {
        code: 'FIVE',
        kind: 'amount',
        value: '5.00',
        applies_to: 'all',
        uses: 0,
        unspent: 0,
        uses_max: 1,
        expires_at: '2099-01-31T00:00:00.000Z',
      },
      { code: 'SPRING', kind: 'percent', value: '20', applies_to: 'first', uses: 0, unspent: 0, uses_max: 5, expires_at: null },
    ]);
    const apply = () => node.post('/v1/billing/discount/apply', { code: 'SPRING' }, bearer(user));
    expect((await apply()).status).to.equal(200);
    for (let times = 0; times < 2; times++) await done('discounts/spring/end');
    const late = await node.register();
    expect((await node.post('/v1/billing/discount/apply', { code: 'SPRING' }, bearer(late))).status).to.equal(400);
    expect((await post('discounts/NONE/end')).body.code).to.equal('unknown_target');
  });

  it('lists the invoices of all users by status and user, pays one of the test provider and refunds it, each once', async () => {
    const payer = await node.register();
    const { body: wished } = await node.post('/v1/billing/subscribe', { plan: 'pro', period: 'month' }, bearer(payer));
    const mine = async (status: string) => (await all(`invoices?status=${status}&user=${payer.id}`, 1)).map(({ id }) => id);
    const [id] = (await all(`invoices?user=${payer.id}`, 5)).map((invoice) => String(invoice['id']));
    expect(wished, JSON.stringify(wished)).to.be.an('object');
    expect(await mine('open')).to.deep.equal([id]);
    for (let times = 0; times < 2; times++) expect(await done(`invoices/${id}/pay`)).to.deep.equal({ id, status: 'paid' });
    expect((await get('/v1/auth/me', payer)).body).to.include({ plan: 'pro', subscription_status: 'active' });
    expect(await mine('paid')).to.deep.equal([id]);
    expect(await done(`invoices/${id}/refund`)).to.deep.equal({ id, status: 'refunded' });
    expect((await post(`invoices/${id}/refund`)).body.code).to.equal('act_refused');
    expect((await get('/v1/auth/me', payer)).body.subscription_status).to.not.equal('active');
    expect((await post('invoices/inv_0/refund')).body.code).to.equal('unknown_target');
    expect(await mine('void')).to.deep.equal([]);
    expect((await get('invoices?status=lost')).body.code).to.equal('invalid_request');
  });

  it('shows the report of /health, the shards and the jobs', async () => {
    const { body: overview } = await get('overview');
    expect(overview.health).to.include({ status: 'unavailable' });
    expect(overview.health.shards).to.deep.include({ count: 2, ready: 0, owners: [null, null] });
    expect(overview.job_board).to.equal(false);
    expect((await get('shards')).body.shards.map(({ shard, owner }: Record<string, unknown>) => [shard, owner])).to.deep.equal([
      [0, null],
      [1, null],
    ]);
    expect((await get('queues')).body).to.deep.include({ workers: [], jobs: [], dead_letters: [] });
    expect((await get('quarantine')).body).to.deep.equal({ count: 0, accounts: [] });
    expect((await post(`quarantine/${ACCOUNT}/lift`)).body.code).to.equal('unknown_target');
  });

  it('lists parked commands page by page, shows one, and drops it once', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) {
      const fields = ['account', ACCOUNT, 'command', `text ${i}`, 'reason', `rule ${i}`, 't', String(Date.now())];
      ids.push(`${i % 2}:${await node.redis.xadd(shardKeys.dead(i % 2), '*', ...fields)}`);
    }
    const [a, b, c, d, e] = ids;
    for (const limit of [1, 2, 500]) {
      expect(
        (await all('dead-letters', limit)).map(({ id }) => id),
        `${limit} a page`,
      ).to.deep.equal([e, c, a, d, b]);
    }
    expect((await get(`dead-letters/${a}`)).body).to.include({
      id: a,
      account: ACCOUNT,
      reason: 'rule 0',
      text: 'text 0',
      command: null,
    });
    expect((await post(`dead-letters/${a}/requeue`)).body.code).to.equal('act_refused');
    expect(await done(`dead-letters/${a}/drop`)).to.include({ id: a, done: true });
    expect((await post(`dead-letters/${a}/drop`)).body.code).to.equal('unknown_target');
    expect(await all('dead-letters', 2)).to.have.length(4);
  });

  it('a page of long letters ends after a megabyte of them, and what one read has added', async () => {
    const [LENGTH, COUNT] = [400_000, 14];
    const ids: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const fields = ['account', ACCOUNT, 'command', 'x'.repeat(LENGTH), 'reason', 'long', 't', String(Date.now())];
      ids.push(`1:${await node.redis.xadd(shardKeys.dead(1), '*', ...fields)}`);
    }
    const pages: number[] = [];
    const shown: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await get(`dead-letters?limit=500${cursor && `&cursor=${cursor}`}`);
      pages.push(body.items.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0));
      shown.push(...body.items.filter(({ reason }: { reason: string }) => reason === 'long').map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(Math.max(...pages)).to.be.at.most(1_000_000 + 10 * LENGTH);
    expect(pages.length).to.be.at.least(2);
    expect(shown).to.deep.equal(ids.toReversed());
    for (const id of ids) await node.redis.xdel(shardKeys.dead(1), id.slice(2));
  });

  it('an operator has one look at a time, and eight that wait; others are asked for meanwhile', async () => {
    const { discounts } = node.billing;
    const { page } = discounts;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let running = 0;
    discounts.page = async (asked) => {
      running += 1;
      await gate;
      return await page.call(discounts, asked);
    };
    try {
      const asked = Array.from({ length: 12 }, () => get('discounts'));
      const first = await Promise.race(asked);
      expect([first.status, first.body.code]).to.deep.equal([429, 'too_many_reads']);
      expect(first.headers.get('retry-after')).to.equal('2');
      expect((await get('/v1/auth/me', user)).status).to.equal(200);
      expect(running).to.equal(1);
      open();
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 429)).to.have.length(3);
      expect(statuses.filter((status) => status === 200)).to.have.length(9);
    } finally {
      open();
      discounts.page = page;
    }
  });

  it('each look at users’ data and each act is a row for operators, with who, what and how it ended', async () => {
    const before = (await operatorRows()).length;
    await get(`users/${user.id}`);
    await get('shards');
    await post(`users/${user.id}/grant`, { plan: 'basic', days: 1 });
    await post('invoices/inv_9/refund');
    const me = `operator:${operator.id}`;
    const rows = await operatorRows();
    expect(rows.slice(0, rows.length - before)).to.have.members([
      `${me} operator.act refused refund inv_9`,
      `${me} operator.act ok refund inv_9`,
      `${me} operator.act ok grant ${user.id} basic 1 days`,
      `${me} operator.read ok user ${user.id}`,
    ]);
    const listed = await all('audit', 7);
    expect(listed.length).to.be.at.least(rows.length);
    expect(listed[0]).to.have.all.keys('id', 'time', 'action', 'actor', 'address', 'account', 'outcome', 'detail');
    expect((await get('/v1/auth/audit', user)).text).to.not.include(operator.id);
  });
});
