// A key with limits of trading, on a running exchange: at two nodes at once, through every way in, and while its owner is killed; house
// rules of an account; and the tools at /mcp, by the official client of the protocol and by what no client would send.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { actionTypes } from '../../src/api/exchange/runAction.ts';
import { infoTypes } from '../../src/api/info/answerInfo.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import { until } from '../support/until.ts';

const SOL = 5;
const KEYS = '/v1/auth/api-keys';
const LIMITS = { order_usd: '1000', leverage: 5, daily_loss_usd: 200, orders_per_minute: 12 };
const MINUTE_MS = 60_000;

describe('agents: a key with limits of trading', () => {
  let stack: Stack;
  let user: TestAccount;
  let key: string;
  let keyId: string;

  const asUser = (method: string, path: string, body?: object) =>
    stack.call(method, path, { token: user.token, ...(body && { body }) });
  const make = async (trade_limits: unknown) => asUser('POST', KEYS, { name: 'agent', trade_limits } as object);
  const statuses = async (apiKey: string, ...orders: Parameters<typeof orderAction>[1][]) =>
    (await stack.exchange(apiKey, orderAction(SOL, ...orders))).body.response.data.statuses;

  before(async () => {
    stack = await startStack({ apis: 2 });
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '500']], asks: [['100.1', '500']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
  });
  beforeEach(async () => {
    user = await stack.register();
    const { status, body } = await make(LIMITS);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.account).to.equal(user.address);
    expect(body.trade_limits).to.deep.equal({ ...LIMITS, daily_loss_usd: '200.0', order_usd: '1000.0' });
    key = body.api_key;
    keyId = body.id;
  });
  after(() => stack?.stop());

  it('refuses with the numbers, in the form of the venue; a dry run says it first', async () => {
    await stack.exchange(key, { type: 'updateLeverage', asset: SOL, isCross: true, leverage: 5 });
    const above = { error: 'Order value 1001 USD is above the limit of this API key: 1000 USD. asset=5' };
    const tried = await stack.exchange(key, orderAction(SOL, { px: '91', sz: '11' }), { envelope: { dryRun: true } });
    expect(tried.body.response.data.answer.response.data.statuses).to.deep.equal([above]);
    expect(await statuses(key, { px: '91', sz: '11' })).to.deep.equal([above]);
    expect((await statuses(key, { px: '91', sz: '10' }))[0]).to.have.property('resting');
    const { body } = await stack.exchange(key, { type: 'updateLeverage', asset: SOL, isCross: true, leverage: 6 });
    expect(body).to.deep.equal({ status: 'err', response: 'Leverage 6x is above the limit of this API key: 5x.' });
    expect((await statuses(user.apiKey, { px: '91', sz: '11' }))[0], 'another key').to.have.property('resting');
  });

  it('holds whichever way an order comes: in a batch, by a modify, a bracket or a TWAP, and over the WebSocket', async () => {
    await stack.exchange(key, { type: 'updateLeverage', asset: SOL, isCross: true, leverage: 5 });
    const text = 'Order value 1001 USD is above the limit of this API key: 1000 USD. asset=5';
    const [fits, above] = [
      { px: '91', sz: '10' },
      { px: '91', sz: '11' },
    ];
    const [placed, refused] = await statuses(key, fits, above);
    expect(refused).to.deep.equal({ error: text });
    const { oid } = placed.resting;
    const [order] = orderAction(SOL, above).orders;
    const modify = await stack.exchange(key, { type: 'batchModify', modifies: [{ oid, order }] });
    expect(JSON.stringify(modify.body)).to.include(text);
    const stop = { ...order, b: false, p: '80', r: true, t: { trigger: { isMarket: true, triggerPx: '85', tpsl: 'sl' } } };
    const bracket = await stack.exchange(key, { type: 'order', orders: [order, stop], grouping: 'normalTpsl' });
    expect(JSON.stringify(bracket.body)).to.include(text);
    const twap = { a: SOL, b: true, s: '10.01', r: false, m: 5, t: false };
    expect(JSON.stringify((await stack.exchange(key, { type: 'twapOrder', twap })).body)).to.include('Order value 1001 USD');
    const socket = await StreamClient.connect(stack.baseUrl, { apiKey: key });
    const action = { ...orderAction(SOL, above) };
    socket.send({ method: 'post', id: 1, request: { type: 'action', payload: { action, nonce: 1, signature: null } } });
    expect(JSON.stringify(await socket.next('post'))).to.include(text);
    await socket.stop();
    expect((await stack.info(key, { type: 'openOrders' })).body).to.have.length(1);
  });

  it('counts orders of both nodes once, also while the owner of the account is killed', async () => {
    await stack.exchange(key, { type: 'updateLeverage', asset: SOL, isCross: true, leverage: 5 });
    const send = (at: number) =>
      stack.exchange(key, orderAction(SOL, { px: '50', sz: '1' }), { baseUrl: stack.baseUrls[at % 2] as string });
    const sent = Array.from({ length: 10 }, (_, at) => send(at));
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    await Promise.allSettled(sent);
    await until(async () => (await stack.info(key, { type: 'openOrders' })).status === 200);
    await Promise.allSettled(Array.from({ length: 20 }, (_, at) => send(at)));
    const { body } = await stack.info(key, { type: 'openOrders' });
    const times: number[] = body.map(({ timestamp }: { timestamp: number }) => timestamp);
    expect(times.length).to.be.at.least(LIMITS.orders_per_minute);
    for (const from of times) {
      const inMinute = times.filter((time) => time >= from && time < from + MINUTE_MS);
      expect(inMinute.length).to.be.at.most(LIMITS.orders_per_minute);
    }
  });

  it('begins no import and no mirror: what comes from an address is no order of the key', async () => {
    const made = await stack.exchange(user.apiKey, { type: 'createSubAccount', name: 'empty' });
    const account = made.body.response.data;
    const bound = await asUser('POST', KEYS, { name: 'agent', account, trade_limits: { order_usd: 100 } });
    for (const path of ['import', 'mirror']) {
      const place = `/v1/exchanges/perpx/account/${path}?account=${account}`;
      const body = { address: `0x${'ab'.repeat(20)}` };
      const refused = await stack.call('POST', place, { key: bound.body.api_key, body });
      expect([refused.status, refused.body.code], path).to.deep.equal([403, 'limited_key']);
      const byOther = await stack.call('POST', place, { key: user.apiKey, body });
      expect(byOther.body.code, 'a key without limits gets to the venue').to.not.equal('limited_key');
    }
  });

  it('neither resets its account nor changes its balance; a key without limits does', async () => {
    const places = { '/v1/exchanges/perpx/account/set-balance': { balance: 5000 }, '/v1/exchanges/perpx/account/reset': {} };
    for (const [path, body] of Object.entries({ ...places, '/v1/auth/account/reset': {} })) {
      const refused = await stack.call('POST', path, { key, body });
      expect([refused.status, refused.body.code], path).to.deep.equal([403, 'limited_key']);
    }
    for (const [path, body] of Object.entries(places))
      expect((await stack.call('POST', path, { key: user.apiKey, body })).status, path).to.equal(200);
  });

  it('pays for no request weight, which would be no loss by its limits; a key without limits does', async () => {
    const action = { type: 'reserveRequestWeight', weight: 2_000_000 };
    const { body } = await stack.exchange(key, action);
    const text = 'This API key has limits of trading, so it pays for no request weight: use another key.';
    expect(body).to.deep.equal({ status: 'err', response: text });
    const value = async () => (await stack.info(key, { type: 'clearinghouseState' })).body.marginSummary.accountValue;
    expect(await value()).to.equal('10000.0');
    expect((await stack.exchange(user.apiKey, action)).body.status).to.equal('ok');
    expect(await value()).to.equal('9000.0');
  });

  it('is changed at once, and kept where nothing is said of it', async () => {
    const renamed = await asUser('POST', `${KEYS}/${keyId}/change`, { name: 'renamed' });
    expect(renamed.body.trade_limits).to.include({ leverage: 5 });
    const changed = await asUser('POST', `${KEYS}/${keyId}/change`, { trade_limits: { order_usd: 100.5 } });
    expect(changed.body.trade_limits).to.deep.equal({
      ...{ order_usd: '100.5', leverage: null, daily_loss_usd: null, orders_per_minute: null },
    });
    const refused = async () => JSON.stringify(await statuses(key, { px: '50', sz: '3' }));
    await until(async () => (await refused()).includes('Order value 150 USD is above the limit of this API key: 100.5 USD.'));
    const rotated = await asUser('POST', `${KEYS}/${keyId}/rotate`);
    expect(rotated.body.trade_limits).to.include({ order_usd: '100.5' });
    expect(JSON.stringify(await statuses(rotated.body.api_key, { px: '50', sz: '3' }))).to.include('150 USD');
    const free = await asUser('POST', `${KEYS}/${keyId}/change`, { trade_limits: null });
    expect(free.body.trade_limits).to.equal(null);
    const { api_keys: keys } = (await asUser('GET', KEYS)).body;
    const whole = keys.find(({ account }: { account: unknown }) => account === null);
    const unbound = await asUser('POST', `${KEYS}/${whole.id}/change`, { trade_limits: { leverage: 2 } });
    expect(unbound.status, 'a key that reaches all accounts').to.equal(409);
    const made = await stack.exchange(rotated.body.api_key, { type: 'createSubAccount', name: 'way round' });
    expect(JSON.stringify(made.body)).to.include('This API key is bound to one account');
    expect(keys.find(({ id }: { id: string }) => id === keyId).trade_limits).to.equal(null);
  });

  it('a change holds with its answer at sockets that are open at its node; once the key is moved they reach nothing', async () => {
    const socket = await StreamClient.connect(stack.baseUrl, { apiKey: key });
    const post = (id: number, order: Parameters<typeof orderAction>[1]): void => {
      const payload = { action: orderAction(SOL, order), nonce: id, signature: null };
      socket.send({ method: 'post', id, request: { type: 'action', payload } });
    };
    const change = async (body: object) => (await asUser('POST', `${KEYS}/${keyId}/change`, body)).status;
    expect(await change({ trade_limits: { order_usd: 100 } })).to.equal(200);
    post(1, { px: '91', sz: '10' });
    expect(JSON.stringify(await socket.next('post'))).to.include(
      'Order value 910 USD is above the limit of this API key: 100 USD.',
    );
    const made = await stack.exchange(user.apiKey, { type: 'createSubAccount', name: 'next' });
    expect(await change({ account: made.body.response.data })).to.equal(200);
    post(2, { px: '50', sz: '1' });
    expect((await socket.close()).code).to.equal(4001);
    expect((await stack.info(user.apiKey, { type: 'openOrders', user: user.address })).body).to.deep.equal([]);
  });

  describe('the tools at /mcp', () => {
    const clients: Client[] = [];
    const connect = async (headers: Record<string, string>, baseUrl = stack.baseUrl): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } });
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      clients.push(client);
      return client;
    };
    const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [{ text }] = content as [{ text: string }];
      return { isError: isError === true, ...JSON.parse(text) };
    };
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${stack.baseUrl}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
    const orderOf = (sz: string, more: object = {}) => ({
      ...{ orders: orderAction(SOL, { px: '91', sz }).orders, grouping: 'na' },
      ...more,
    });

    afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

    it('are the info types and the actions of the contract, and go by the scopes of the key', async () => {
      const client = await connect({ Authorization: `Bearer ${key}` });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).to.deep.equal([...infoTypes(), ...actionTypes()].sort());
      const order = tools.find(({ name }) => name === 'order');
      expect(order?.inputSchema.required).to.include.members(['orders']);
      expect(order?.inputSchema.properties).to.include.keys('dryRun', 'vaultAddress').and.not.include.keys('type');
      const { body } = await asUser('POST', KEYS, { name: 'reader', scopes: ['read'] });
      const reader = await connect({ 'X-API-Key': body.api_key });
      expect((await reader.listTools()).tools.map(({ name }) => name).sort()).to.deep.equal(infoTypes().sort());
      const refused = await call(reader, 'order', orderOf('1')).catch((error: Error) => error);
      expect(String(refused)).to.include('This key has no such tool.');
      const trading = await asUser('POST', KEYS, { name: 'actor', scopes: ['trade'] });
      const actor = await connect({ 'X-API-Key': trading.body.api_key });
      expect((await actor.listTools()).tools.map(({ name }) => name).sort()).to.deep.equal(actionTypes().sort());
      expect(await call(actor, 'cancel', { cancels: [{ a: SOL, o: 1 }] })).to.include.keys('seq', 'dataAge', 'data');
      expect(String(await call(actor, 'openOrders').catch((error: Error) => error))).to.include('This key has no such tool.');
      expect((await stack.info(user.apiKey, { type: 'openOrders' })).body).to.deep.equal([]);
    });

    it('trade within the limits of the key at either node; every answer says its entry and the age of its data', async () => {
      const client = await connect({ 'X-API-Key': key });
      const set = await call(client, 'updateLeverage', { asset: SOL, isCross: true, leverage: 5 });
      expect(set).to.deep.include({ isError: false, data: { status: 'ok', response: { type: 'default' } } });
      const tried = await call(client, 'order', orderOf('2', { dryRun: true }));
      expect(tried.data.response.data.effect.resting).to.have.length(1);
      expect(tried.seq).to.equal(set.seq);
      const placed = await call(client, 'order', orderOf('2'));
      expect(placed.data.response.data.statuses[0]).to.have.property('resting');
      expect(placed.seq).to.equal(set.seq + 1);
      expect(placed.dataAge.bookMs).to.be.a('number').and.be.at.least(0);
      const other = await connect({ 'X-API-Key': key }, stack.baseUrls[1]);
      const refused = await call(other, 'order', orderOf('11'));
      expect(refused.data.response.data.statuses).to.deep.equal([
        { error: 'Order value 1001 USD is above the limit of this API key: 1000 USD. asset=5' },
      ]);
      const open = await call(other, 'openOrders');
      expect(open).to.deep.include({ isError: false, seq: refused.seq });
      expect(open.data).to.have.length(1);
      const book = await call(client, 'l2Book', { coin: 'SOL' });
      expect(book.data.coin).to.equal('SOL');
      expect(book).to.have.keys('isError', 'seq', 'dataAge', 'data');
      const none = await call(client, 'recentTrades', { coin: 'NOPE' });
      expect(none).to.deep.include({ isError: true, seq: refused.seq });
      expect(none).to.have.keys('isError', 'seq', 'dataAge', 'error');
      const strange = await call(client, 'openOrders', { user: 7 });
      expect(strange).to.have.keys('isError', 'seq', 'dataAge', 'error');
    });

    it('an act names the entry of the account that acts, however that is named, and the master’s of what is the master’s', async () => {
      const client = await connect({ 'X-API-Key': user.apiKey });
      const made = await call(client, 'createSubAccount', { name: 'grid' });
      const sub: string = made.data.response.data;
      const cancels = [{ a: SOL, o: 1 }];
      const seqs: number[] = [];
      for (const vaultAddress of [sub, sub.slice(2), sub.toUpperCase().replace('0X', '0x')]) {
        const { seq } = await call(client, 'cancel', { cancels, vaultAddress });
        expect(seq, vaultAddress).to.equal((await call(client, 'openOrders', { user: sub })).seq);
        seqs.push(seq);
      }
      expect(seqs).to.deep.equal([1, 2, 3].map((nth) => Number(seqs[0]) + nth - 1));
      for (let n = 0; n < 10; n++) await call(client, 'cancel', { cancels });
      const again = await call(client, 'createSubAccount', { name: 'hedge', vaultAddress: sub });
      expect(again.seq)
        .to.equal((await call(client, 'openOrders')).seq)
        .and.to.be.above(Math.max(...seqs));
    });

    it('what is no call of them is refused, and changes nothing', async () => {
      const many = Array.from({ length: 10_000 }, () => message('tools/call', { name: 'order', arguments: orderOf('1') }));
      const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","arguments":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}}`;
      const cases: [unknown, number][] = [
        [many.slice(0, 3), 400],
        [many, 413],
        [deep, 400],
        ['{"jsonrpc":"2.0"', 400],
        [`"${'x'.repeat(8_000_000)}"`, 413],
        [{ ...message('tools/list'), jsonrpc: '1.0' }, 400],
        [{ ...message('tools/list'), id: { a: 1 } }, 400],
        [{ ...message('tools/list'), params: [1] }, 400],
        [{ method: 'tools/list', id: 1 }, 400],
        [null, 400],
        [7, 400],
      ];
      for (const [body, status] of cases) {
        const answer = await post(body);
        expect(answer.status, JSON.stringify(body)?.slice(0, 80)).to.equal(status);
        expect(await answer.json()).to.have.property('code');
      }
      const wrong: [unknown, string][] = [
        [message('tools/call', { name: 'order', arguments: { orders: 'all' } }), 'invalid_request'],
        [
          message('tools/call', { name: 'order', arguments: orderOf('1', { type: 'cancel', vaultAddress: 7 }) }),
          'invalid_request',
        ],
        [message('tools/call', { name: 'order', arguments: [] }), '-32602'],
        [message('tools/call', { name: '__proto__' }), 'no such tool'],
        [message('tools/call', { name: 'constructor', arguments: {} }), 'no such tool'],
        [message('tools/call', {}), '-32602'],
        [message('tools/call', { name: 5 }), '-32602'],
        [message('tools/call', { name: 'order', arguments: null }), '-32602'],
        [message('initialize', { protocolVersion: 5 }), '-32602'],
        [message('resources/list'), 'Method not found'],
        [message('\u0000'), 'Method not found'],
        [message('__proto__'), 'Method not found'],
        [message('constructor'), 'Method not found'],
      ];
      for (const [body, said] of wrong) {
        const answer = await post(body);
        expect(answer.status, JSON.stringify(body)).to.equal(200);
        expect(await answer.text(), JSON.stringify(body)).to.include(said);
      }
      const headed = await post(message('tools/call', { name: 'order', arguments: orderOf('1') }), { 'idempotency-key': 'a b' });
      const { result } = (await headed.json()) as { result: { isError: boolean; content: [{ text: string }] } };
      expect([result.isError, JSON.parse(result.content[0].text).error.code]).to.deep.equal([true, 'invalid_idempotency_key']);
      const { body } = await stack.info(user.apiKey, { type: 'historicalOrders' });
      expect(body).to.deep.equal([]);
    });

    it('come with a key or token alone, to no page of another origin, and to POST alone', async () => {
      const list = message('tools/list');
      expect((await post(list, { 'x-api-key': `pe_${'0'.repeat(32)}` })).status).to.equal(401);
      expect((await post(list, { 'x-api-key': '' })).status).to.equal(401);
      expect((await post(list, { Origin: 'https://evil.example' })).status).to.equal(403);
      expect((await post(list, { Origin: 'null' })).status).to.equal(403);
      expect((await post(list, { Origin: stack.baseUrl })).status).to.equal(200);
      expect((await post(list, { 'mcp-protocol-version': '1999-01-01' })).status).to.equal(400);
      const byToken = await fetch(`${stack.baseUrl}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${user.token}` },
        body: JSON.stringify(list),
      });
      expect(byToken.status).to.equal(200);
      for (const method of ['GET', 'DELETE', 'PUT'])
        expect((await fetch(`${stack.baseUrl}/mcp`, { method, headers: { 'x-api-key': key } })).status).to.equal(405);
    });

    it('count in the limits of the key as the same call elsewhere', async () => {
      const used = (answer: Response): number => Number(answer.headers.get('x-ratelimit-remaining'));
      const orders = Array.from({ length: 80 }, () => orderAction(SOL, { px: '91', sz: '1' }).orders[0]);
      const before = used(await post(message('ping')));
      const after = used(await post(message('tools/call', { name: 'order', arguments: { orders, grouping: 'na' } })));
      expect(before - after).to.equal(3);
    });
  });

  describe('house rules', () => {
    const RULES = '/v1/exchanges/perpx/account/rules';
    const ALL = {
      daily_loss: { usd: '150', act: 'close' },
      drawdown: { percent: 50, act: 'refuse' },
      hours: { from: '00:00', to: '23:59', act: 'warn' },
      coins: { only: ['SOL'], act: 'refuse' },
    };
    const positions = async () => (await stack.info(user.apiKey, { type: 'clearinghouseState' })).body.assetPositions;
    const setPrice = async (px: string, bids: (readonly [string, string])[]) => {
      await stack.market.control({ op: 'setBook', coin: 'SOL', bids, asks: [[String(Number(px) + 0.1), '500']] });
      await stack.market.control({ op: 'setPrice', coin: 'SOL', px });
    };
    after(() => setPrice('100', [['99.9', '500']]));

    it('are set with a token alone, told, and taken away', async () => {
      const { status, body } = await asUser('PUT', RULES, ALL);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.deep.include({
        daily_loss: { usd: '150.0', act: 'close' },
        drawdown: { percent: '50', act: 'refuse' },
        hours: { from: '00:00', to: '23:59', act: 'warn' },
        coins: { only: ['SOL'], act: 'refuse' },
        lost_usd: '0.0',
        drawdown_percent: '0',
        broken: [],
      });
      const shown = await stack.call('GET', RULES, { key: user.apiKey });
      expect(shown.body).to.deep.equal(body);
      const byKey = await stack.call('PUT', RULES, { key: user.apiKey, body: {} });
      expect(byKey.status, JSON.stringify(byKey.body)).to.equal(401);
      const { token } = await stack.register();
      const byStranger = await stack.call('PUT', RULES, { key: user.apiKey, token, body: {} });
      expect([byStranger.status, byStranger.body.code], 'a token of another user').to.deep.equal([401, 'invalid_token']);
      const byBoth = await stack.call('PUT', RULES, { key: user.apiKey, token: user.token, body: ALL });
      expect([byBoth.status, byBoth.body.coins.only]).to.deep.equal([200, ['SOL']]);
      const [refused] = (await stack.exchange(user.apiKey, orderAction(0, { px: '10000', sz: '0.01' }))).body.response.data
        .statuses;
      expect(refused.error).to.equal(
        'House rule of this account: BTC is none of its coins, SOL. Only reduce-only orders. asset=0',
      );
      const none = await asUser('PUT', RULES, { coins: null });
      expect(none.body).to.deep.include({ daily_loss: null, coins: null, lost_usd: null, broken: [] });
      expect(JSON.stringify((await asUser('GET', '/v1/auth/audit?limit=5')).body)).to.include('account.rules_set');
    });

    it('of a sub-account are its own', async () => {
      const made = await stack.exchange(user.apiKey, { type: 'createSubAccount', name: 'careful' });
      const address = made.body.response.data;
      await asUser('PUT', `${RULES}?account=${address}`, { coins: { only: ['ETH'], act: 'refuse' } });
      expect((await asUser('GET', `${RULES}?account=${address}`)).body.coins).to.deep.equal({ only: ['ETH'], act: 'refuse' });
      expect((await asUser('GET', RULES)).body.coins).to.equal(null);
      expect((await asUser('PUT', `${RULES}?account=0x${'ab'.repeat(20)}`, {})).status).to.equal(404);
    });

    it('close a position once, by the book, while the owner is killed; and another account trades on', async () => {
      await setPrice('100', [['99.9', '500']]);
      const other = await stack.register();
      expect((await asUser('PUT', RULES, ALL)).status).to.equal(200);
      const opening = orderAction(SOL, { px: '105', sz: '10', tif: 'Ioc' });
      expect(await statuses(user.apiKey, { px: '105', sz: '10', tif: 'Ioc' })).to.have.length(1);
      await stack.exchange(other.apiKey, opening);
      expect(await positions()).to.have.length(1);
      await setPrice('84', [
        ['83.9', '4'],
        ['83.8', '500'],
      ]);
      await stack.kill('actors-0');
      await stack.restart('actors-0');
      await until(async () => {
        const { status, body } = await stack.info(user.apiKey, { type: 'clearinghouseState' });
        return status === 200 && body.assetPositions.length === 0;
      });
      const fills = (await stack.info(user.apiKey, { type: 'userFills' })).body;
      const closed = fills
        .filter(({ dir }: { dir: string }) => dir === 'Close Long')
        .map(({ px, sz }: Record<string, string>) => `${sz} ${px}`);
      expect(closed.sort()).to.deep.equal(['4.0 83.9', '6.0 83.8']);
      const { body } = await asUser('GET', RULES);
      expect(body.broken).to.have.length(1);
      expect(body.broken[0]).to.include({ rule: 'daily_loss', coin: null });
      const [refused] = await statuses(user.apiKey, { px: '80', sz: '1' });
      expect(refused.error).to.match(/^House rule of this account: \d+\.\d+ USD lost since 00:00 UTC, limit 150 USD\./);
      expect((await statuses(other.apiKey, { px: '80', sz: '1' }))[0]).to.have.property('resting');
    });

    for (const [name, rules] of Object.entries({
      text: 'all',
      list: [],
      'unknown field': { loss: {} },
      'unknown act': { daily_loss: { usd: 1, act: 'shout' } },
      'no act': { daily_loss: { usd: 1 } },
      'no number': { daily_loss: { usd: 'NaN', act: 'warn' } },
      'an exponent': { daily_loss: { usd: '1e3', act: 'warn' } },
      'too large': { daily_loss: { usd: 1e13, act: 'warn' } },
      'zero percent': { drawdown: { percent: 0, act: 'warn' } },
      'more than all': { drawdown: { percent: 100.01, act: 'warn' } },
      'no time': { hours: { from: '24:00', to: '08:00', act: 'warn' } },
      'no hours': { hours: { from: '08:00', to: '08:00', act: 'warn' } },
      'no coins': { coins: { only: [], act: 'warn' } },
      'a coin twice': { coins: { only: ['SOL', 'SOL'], act: 'warn' } },
      'unknown coin': { coins: { only: ['SOL', 'ＳＯＬ'], act: 'warn' } },
      'too many coins': { coins: { only: Array.from({ length: 51 }, (_, at) => `C${at}`), act: 'warn' } },
      'a long name': { coins: { only: ['x'.repeat(21)], act: 'warn' } },
    })) {
      it(`are refused and change nothing: ${name}`, async () => {
        const { status, body } = await asUser('PUT', RULES, rules as object);
        expect(status, JSON.stringify(body)).to.equal(400);
        expect((await asUser('GET', RULES)).body).to.deep.include({ daily_loss: null, coins: null, hours: null });
      });
    }
  });

  for (const [name, limits] of Object.entries({
    text: 'all',
    list: [],
    'unknown field': { orders: 1 },
    'no number': { order_usd: 'NaN' },
    'an exponent': { order_usd: '1e3' },
    zero: { order_usd: 0 },
    negative: { daily_loss_usd: -1 },
    'too large': { daily_loss_usd: '10000000000000' },
    'seven decimals': { daily_loss_usd: '0.0000001' },
    'half a leverage': { leverage: 1.5 },
    'no leverage': { leverage: 0 },
    'too many orders': { orders_per_minute: 10_001 },
    object: { order_usd: {} },
  })) {
    it(`no key is made with limits that cannot be read: ${name}`, async () => {
      const { status, body } = await make(limits);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect((await asUser('GET', KEYS)).body.api_keys).to.have.length(2);
    });
  }
});
