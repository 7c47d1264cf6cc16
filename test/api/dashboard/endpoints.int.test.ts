import { expect } from 'chai';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

const BASE = '/v1/exchanges/perpx/account';
const ENDPOINTS = ['overview', 'positions', 'orders', 'orders/open', 'fills', 'analytics', 'equity-curve', 'tearsheet/figures'];

describe('dashboard endpoints over HTTP', function () {
  this.timeout(600_000);
  let stores: { redis: Store; mongo: Store };
  let node: ApiNode;
  let user: TestUser;
  let apiKey: string;
  let nowMs = Date.now();

  before(async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    stores = { redis, mongo };
    node = await ApiNode.start(stores, { now: () => nowMs });
    user = await node.register();
    ({ apiKey } = await node.createKey(user));
  });

  after(async () => {
    await node.stop();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  const get = (path: string, headers: Record<string, string> = { authorization: `Bearer ${user.token}` }) =>
    node.request('GET', `${BASE}/${path}`, { headers });

  for (const endpoint of ENDPOINTS) {
    it(`${endpoint}: a token, a key and a key in the path read the same; nobody else does`, async () => {
      const byToken = await get(endpoint);
      expect(byToken.status, byToken.text).to.equal(200);
      expect(Object.keys((await get(endpoint, { 'x-api-key': apiKey })).body)).to.deep.equal(Object.keys(byToken.body));
      const byPath = await node.request('GET', `/v1/exchanges/perpx/key/${apiKey}/account/${endpoint}`);
      expect(byPath.status).to.equal(200);
      for (const headers of [{}, { authorization: 'Bearer no' }, { 'x-api-key': 'pe_no' }]) {
        expect((await get(endpoint, headers as Record<string, string>)).status).to.equal(401);
      }
      expect((await node.request('POST', `${BASE}/${endpoint}`)).status).to.equal(405);
    });
  }

  const bad = [
    ...['limit=0', 'limit=501', 'limit=1.5', 'limit=NaN', 'limit=-1', 'limit=99999999999999999999', 'limit=1&limit=2'],
    ...['start_time=yesterday', 'start_time=-5', 'start_time=99999999999999999', 'end_time=2026-13-45', 'end_time=Infinity'],
    ...['start_time=2026-11-02T00:00:00Z&end_time=2026-11-01T00:00:00Z', 'cursor=x', 'cursor=%00', `cursor=${'A'.repeat(400)}`],
    ...[`coin=${'x'.repeat(500)}`, 'coin=a&coin=b'],
  ];
  for (const query of bad) {
    it(`a bad query is a 400: ${query.slice(0, 60)}`, async () => {
      for (const list of ['orders', 'orders/open', 'fills']) {
        const { status, body } = await get(`${list}?${query}`);
        expect([status, Object.keys(body)]).to.deep.equal([400, ['detail', 'code', 'msg']]);
      }
    });
  }

  it('unknown words are refused, unknown coins match nothing', async () => {
    for (const path of [
      'orders?status=done',
      'analytics?period=2d',
      'equity-curve?period=1y',
      'equity-curve?interval=7m',
      'tearsheet?period=2d',
    ]) {
      expect((await get(path)).status, path).to.equal(400);
    }
    for (const coin of ['NOPE', '%F0%9F%92%A9', '__proto__']) {
      expect((await get(`fills?coin=${coin}`)).body).to.deep.equal({ items: [], next_cursor: null });
    }
    expect((await get('fills?start_time=2026-11-01&end_time=2026-11-02T00:00:00%2B02:00&limit=500')).status).to.equal(200);
  });

  it('the overview has the fields of its shape', async () => {
    const { body } = await get('overview');
    const fields = ['account_value', 'balance', 'margin_used', 'withdrawable', 'unrealized_pnl', 'realized_pnl', 'fees_paid'];
    expect(body).to.include.keys(...fields, 'funding_paid', 'open_orders', 'positions', 'plan', 'as_of');
    expect([body.account_value, body.balance, body.plan]).to.deep.equal(['10000.0', '10000.0', 'basic']);
  });

  it('the tearsheet is a file that nothing may run in, of the figures that its other endpoint tells', async () => {
    const { status, headers, text } = await get('tearsheet?period=7d', { 'x-api-key': apiKey });
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).to.match(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; .*; sandbox$/);
    expect(headers.get('cache-control')).to.equal('no-store');
    const { body, headers: told } = await get('tearsheet/figures?period=7d');
    expect(Number(headers.get('x-account-seq'))).to.be.greaterThan(0);
    expect(told.get('x-account-seq')).to.equal(headers.get('x-account-seq'));
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="${body.account}-tearsheet-7d.html"`);
    expect(body).to.deep.include({ name: null, drawdowns: [], trades: [], rolling_days: 30 });
    expect(body.figures.period).to.equal('7d');
    expect(text)
      .to.match(/^<!doctype html>/)
      .and.include(`<code>${body.account}</code>`);
    for (const [path, want] of [
      ['tearsheet', 401],
      ['tearsheet?period=1y', 400],
      ['tearsheet?account=0x12', 400],
      [`tearsheet?account=0x${'ab'.repeat(20)}`, 404],
    ] as const)
      expect((await get(path, want === 401 ? {} : { 'x-api-key': apiKey })).status, path).to.equal(want);
  });

  it('a trial that is over ends trading, not reading', async () => {
    nowMs += 30 * 86_400_000;
    const trading = await node.post('/v1/exchanges/perpx/info', { type: 'openOrders' }, { 'x-api-key': apiKey });
    expect(trading.status).to.equal(403);
    for (const endpoint of ENDPOINTS) expect((await get(endpoint, { 'x-api-key': apiKey })).status, endpoint).to.equal(200);
  });
});
