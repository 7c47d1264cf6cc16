import { expect } from 'chai';
import { digestOf } from '../../../src/api/access/credentials.ts';
import { allEndpoints } from '../../../src/api/registry.ts';
import { apiKeyKeys } from '../../../src/shared/redis/keys.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { startMongo } from '../../support/stores.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const INFO = '/v1/exchanges/perpx/info';
const EXCHANGE = '/v1/exchanges/perpx/exchange';
const KEYS = '/v1/auth/api-keys';
const CANCEL = { action: { type: 'cancel', cancels: [{ a: 0, o: 1 }] }, nonce: 1 };
const HOUR_MS = 3_600_000;
/** Endpoints of operators have scopes of their own: test/operators. */
const isOfUsers = ({ path }: { path: string }): boolean => !path.startsWith('/v1/admin/');

describe('API keys with limits: what they may do, until when, and from where', () => {
  const stores = useStores();
  let node: ApiNode;
  /** Behind one reverse proxy, which the tests play. */
  let proxied: ApiNode;
  let user: TestUser;
  let clockOffsetMs = 0;
  const clients: StreamClient[] = [];
  const now = (): number => Date.now() + clockOffsetMs;

  before(async () => {
    const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '100000', ANONYMOUS_REQUESTS_PER_MINUTE: '100000' };
    node = await ApiNode.start(stores, { env, now });
    proxied = await ApiNode.start(stores, { env: { ...env, PROXY_HOPS: '1' }, now });
  });
  beforeEach(async () => {
    clockOffsetMs = 0;
    user = await node.register();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.stop())));
  after(() => Promise.all([node.stop(), proxied.stop()]));

  const bearer = ({ token }: TestUser): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const made = async (limits: object, at = node): Promise<{ id: string; apiKey: string; answer: Answer }> => {
    const answer = await at.post(KEYS, { name: 'bot', ...limits }, bearer(user));
    expect(answer.status, answer.text).to.equal(200);
    return { id: answer.body.id, apiKey: answer.body.api_key, answer };
  };
  const change = (id: string, body: unknown, whose = user): Promise<Answer> =>
    node.post(`${KEYS}/${id}/change`, body, bearer(whose));
  const list = async () =>
    (await node.request('GET', KEYS, { headers: bearer(user) })).body.api_keys as Record<string, unknown>[];
  const info = (apiKey: string, at = node, headers: Record<string, string> = {}): Promise<Answer> =>
    at.post(INFO, { type: 'allMids' }, { 'x-api-key': apiKey, ...headers });
  const trade = (apiKey: string, at = node): Promise<Answer> => at.post(EXCHANGE, CANCEL, { 'x-api-key': apiKey });
  const connect = async (apiKey: string, at = node, headers: Record<string, string> = {}): Promise<StreamClient> => {
    const client = await StreamClient.connect(at.baseUrl, { apiKey, headers });
    clients.push(client);
    return client;
  };
  const posted = async (client: StreamClient, request: object, id: number) => {
    client.send({ method: 'post', id, request });
    const message = await client.next('post');
    return message.data.response;
  };
  const inAnHour = (): string => new Date(Date.now() + HOUR_MS).toISOString();

  describe('scopes', () => {
    it('on every route a key does what its scopes allow, and is refused everything else', async () => {
      const [reading, trading, all] = [await made({ scopes: ['read'] }), await made({ scopes: ['trade'] }), await made({})];
      for (const endpoint of allEndpoints({ hasTestPayments: true, hasDashboard: false }).filter(isOfUsers)) {
        const { scope } = endpoint;
        if (scope === undefined) continue;
        const path = endpoint.path.replace(':exchange', 'perpx');
        const ask = async ({ apiKey }: { apiKey: string }): Promise<string> => {
          const [init, type] = endpoint.body ? [{ body: '{}' }, 'application/json'] : [{}, 'text/plain'];
          const headers = { 'x-api-key': apiKey, 'content-type': type };
          const { body } = await node.request(endpoint.method.toUpperCase(), path, { ...init, headers });
          return body?.code === 'insufficient_scope' ? 'refused' : 'allowed';
        };
        const answers = [await ask(reading), await ask(trading), await ask(all)];
        const wanted = {
          read: ['allowed', 'refused', 'allowed'],
          any: ['allowed', 'allowed', 'allowed'],
        }[scope as string] ?? ['refused', 'allowed', 'allowed'];
        expect(answers, `${endpoint.method} ${path}`).to.deep.equal(wanted);
      }
    });

    it('a key that only reads: 403 on exchange in the venue’s form too, and nothing reaches the account', async () => {
      const { apiKey } = await made({ scopes: ['read'] });
      expect((await info(apiKey)).status).to.equal(200);
      const before = node.exchange.commands.length;
      for (const path of [EXCHANGE, `/v1/exchanges/perpx/key/${apiKey}/exchange`]) {
        const { status, body } = await node.post(path, CANCEL, path === EXCHANGE ? { 'x-api-key': apiKey } : {});
        expect(status).to.equal(403);
        expect(body).to.include({ code: 'insufficient_scope', status: 'err' });
      }
      expect(node.exchange.commands.length).to.equal(before);
    });

    it('the token beside such a key does not lend it the right to trade', async () => {
      const { apiKey } = await made({ scopes: ['read'] });
      const headers = { 'x-api-key': apiKey, ...bearer(user) };
      expect((await node.post('/v1/exchanges/perpx/account/set-balance', { balance: 5000 }, headers)).status).to.equal(403);
      expect((await node.request('GET', '/v1/auth/me', { headers })).status).to.equal(200);
    });

    it('over a WebSocket: reading works, an action is refused in its own answer', async () => {
      const { apiKey } = await made({ scopes: ['read'] });
      const client = await connect(apiKey);
      const { payload: answered } = await posted(client, { type: 'info', payload: { type: 'allMids' } }, 1);
      expect(answered.type).to.equal('allMids');
      const { type, payload } = await posted(client, { type: 'action', payload: CANCEL }, 2);
      expect(type).to.equal('action');
      expect(payload).to.include({ status: 'err' });
      expect(JSON.stringify(payload)).to.include('lacks the scope');
    });

    it('a key that only trades opens no WebSocket', async () => {
      const { apiKey } = await made({ scopes: ['trade'] });
      const refusal = await connect(apiKey).then(
        () => 'accepted',
        ({ message }: Error) => message,
      );
      expect(refusal).to.equal('refused with 403');
      expect((await trade(apiKey)).status).to.equal(200);
      expect((await info(apiKey)).status).to.equal(403);
    });

    it('taken away while a socket is open: the next action is refused; without `read` the socket ends', async () => {
      const { id, apiKey } = await made({});
      const [client, far] = [await connect(apiKey), await connect(apiKey, proxied)];
      expect((await posted(client, { type: 'action', payload: CANCEL }, 1)).payload.status).to.equal('ok');
      expect((await change(id, { scopes: ['read'] })).status).to.equal(200);
      let n = 10;
      for (const one of [client, far]) {
        await until(async () => (await posted(one, { type: 'action', payload: CANCEL }, n++)).payload.status === 'err');
      }
      await until(async () => (await trade(apiKey, proxied)).status === 403);
      await change(id, { scopes: ['trade'] });
      for (const one of [client, far]) await until(() => one.closed?.code === 4001);
    });
  });

  describe('an end', () => {
    it('from then on the key is like one that never was, on every node and on open sockets', async () => {
      const { apiKey } = await made({ expires_at: inAnHour() });
      for (const at of [node, proxied]) expect((await info(apiKey, at)).status).to.equal(200);
      clockOffsetMs = HOUR_MS - 60_000;
      expect((await info(apiKey)).status).to.equal(200);
      // Opened here and not an hour before: a socket without a message for a minute is closed for that.
      const [client, far] = [await connect(apiKey), await connect(apiKey, proxied)];
      for (const one of [client, far])
        expect((await posted(one, { type: 'action', payload: CANCEL }, 1)).payload.status).to.equal('ok');
      clockOffsetMs = HOUR_MS + 1000;
      for (const at of [node, proxied]) {
        const { status, body } = await info(apiKey, at);
        expect(status).to.equal(401);
        expect(body.code).to.equal('invalid_api_key');
        const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        const tools = await at.post('/mcp', list, { 'x-api-key': apiKey });
        expect([tools.status, tools.body.code]).to.deep.equal([401, 'invalid_api_key']);
        expect(tools.text).to.include('A valid API key');
        const asToken = await at.post('/mcp', list, { authorization: `Bearer ${apiKey}` });
        expect([asToken.status, asToken.body.code]).to.deep.equal([401, 'invalid_credential']);
        expect(asToken.text).to.include('A valid API key or access token is required.');
      }
      for (const one of [client, far]) await until(() => one.closed?.code === 4001);
      const refusal = await connect(apiKey).then(
        () => 'accepted',
        ({ message }: Error) => message,
      );
      expect(refusal).to.equal('refused with 401');
      expect((await list()).map(({ status }) => status)).to.deep.equal(['expired']);
    });

    it('gives its place to a new key', async () => {
      for (let n = 0; n < 4; n++) await made({});
      const { id } = await made({ expires_at: inAnHour() });
      expect((await node.post(KEYS, { name: 'sixth' }, bearer(user))).status).to.equal(409);
      clockOffsetMs = HOUR_MS + 1000;
      const answers = await Promise.all([1, 2, 3].map(() => node.post(KEYS, { name: 'sixth' }, bearer(user))));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
      const keys = await list();
      expect(keys).to.have.length(5);
      expect(keys.map((key) => key['id'])).to.not.include(id);
    });

    it('can be moved, also when it is past', async () => {
      const { id, apiKey } = await made({ expires_at: inAnHour() });
      clockOffsetMs = 2 * HOUR_MS;
      expect((await info(apiKey)).status).to.equal(401);
      expect((await change(id, { expires_at: new Date(now() + HOUR_MS).toISOString() })).status).to.equal(200);
      for (const at of [node, proxied]) await until(async () => (await info(apiKey, at)).status === 200);
      expect((await change(id, { expires_at: null })).body.expires_at).to.equal(null);
      clockOffsetMs = 50 * HOUR_MS;
      await until(async () => (await info(apiKey)).status === 200);
    });
  });

  describe('an address list', () => {
    const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

    it('elsewhere the key is 403, which tells nothing, costs the owner nothing, and reaches nothing', async () => {
      const { apiKey } = await made({ addresses: ['192.0.2.0/24', '2001:db8::/32'] });
      const { id, answer } = await made({ addresses: ['192.0.2.0/24'] });
      expect(answer.body.id).to.equal(id);
      const inside = await info(apiKey, proxied, from('192.0.2.255'));
      expect(inside.status).to.equal(200);
      const left = inside.headers.get('x-ratelimit-remaining');
      const before = proxied.exchange.commands.length;
      for (const address of ['192.0.3.0', '198.51.100.1', '2001:db9::1', 'unknown', '', '192.0.2.7.5']) {
        const { status, body, text, headers } = await info(apiKey, proxied, from(address));
        expect(status, address).to.equal(403);
        expect(body).to.include({ code: 'address_not_allowed' });
        expect(text).to.not.match(/basic|192\.0\.2|2001:db8|user_|key_/);
        expect(headers.get('x-ratelimit-limit'), 'counted on the address').to.equal('100000');
        const traded = await proxied.post(EXCHANGE, CANCEL, { 'x-api-key': apiKey, ...from(address) });
        expect(traded.body).to.include({ code: 'address_not_allowed', status: 'err' });
      }
      expect(proxied.exchange.commands.length).to.equal(before);
      const again = await info(apiKey, proxied, from('192.0.2.255'));
      expect(Number(left) - Number(again.headers.get('x-ratelimit-remaining'))).to.equal(1);
    });

    it('on every route that takes a key, and as no key on those that do not', async () => {
      const { apiKey } = await made({ addresses: ['192.0.2.1'] });
      for (const endpoint of allEndpoints({ hasTestPayments: true, hasDashboard: false })) {
        const path = endpoint.path.replace(':exchange', 'perpx').replace(/:\w+/g, 'x');
        const { body } = await node.request(endpoint.method.toUpperCase(), path, { headers: { 'x-api-key': apiKey } });
        const isRefused = body?.code === 'address_not_allowed';
        expect(isRefused, `${endpoint.method} ${path}`).to.equal(endpoint.scope !== undefined);
        if (endpoint.credential === 'token') expect(body?.code, path).to.equal('invalid_token');
      }
    });

    const cases: [list: string[], address: string, isInside: boolean][] = [
      [['192.0.2.7'], '192.0.2.7', true],
      [['192.0.2.7'], '::ffff:192.0.2.7', true],
      [['192.0.2.7'], '::ffff:c000:207', true],
      [['::ffff:192.0.2.7'], '192.0.2.7', true],
      [['::ffff:192.0.2.0/120'], '192.0.2.200', true],
      [['192.0.2.7/31'], '192.0.2.6', true],
      [['192.0.2.7/31'], '192.0.2.8', false],
      [['192.0.2.7'], '192.0.2.7:4711', true],
      [['2001:db8::1'], '2001:0DB8:0:0::1', true],
      [['2001:db8::1'], '[2001:db8::1]:4711', true],
      [['2001:db8::/33'], '2001:db8:8000::', false],
      [['::/0'], '192.0.2.7', false],
      [['0.0.0.0/0'], '2001:db8::1', false],
      [['0.0.0.0/0', '::/0'], '2001:db8::1', true],
    ];
    for (const [addresses, address, isInside] of cases) {
      it(`${addresses.join(' and ')}: ${address} is ${isInside ? 'in' : 'out'}`, async () => {
        const { apiKey } = await made({ addresses });
        expect((await info(apiKey, proxied, from(address))).status).to.equal(isInside ? 200 : 403);
      });
    }

    it('a client cannot choose its address: without a proxy by no header, behind one by no entry of its own', async () => {
      const { apiKey } = await made({ addresses: ['192.0.2.7'] });
      for (const headers of [
        from('192.0.2.7'),
        { 'x-real-ip': '192.0.2.7' },
        { forwarded: 'for=192.0.2.7' },
        { 'client-ip': '192.0.2.7' },
      ]) {
        expect((await info(apiKey, node, headers as Record<string, string>)).status).to.equal(403);
      }
      // The proxy adds the address that it sees at the end.
      for (const line of ['192.0.2.7, 198.51.100.9', '192.0.2.7,192.0.2.7,198.51.100.9', '192.0.2.7\t, 198.51.100.9']) {
        expect((await info(apiKey, proxied, from(line))).status, line).to.equal(403);
      }
      expect((await info(apiKey, proxied, from('198.51.100.9, 192.0.2.7'))).status).to.equal(200);
    });

    it('holds for the upgrade of a WebSocket and, changed, for one that is open', async () => {
      const { id, apiKey } = await made({ addresses: ['192.0.2.7', '192.0.2.8'] });
      const refusal = await connect(apiKey, proxied, from('192.0.2.9')).then(
        () => 'accepted',
        ({ message }: Error) => message,
      );
      expect(refusal).to.equal('refused with 403');
      const [gone, stays] = [
        await connect(apiKey, proxied, from('192.0.2.7')),
        await connect(apiKey, proxied, from('192.0.2.8')),
      ];
      await change(id, { addresses: ['192.0.2.8'] });
      await until(() => gone.closed?.code === 4001);
      stays.send({ method: 'ping' });
      await stays.next('pong');
      expect(stays.closed).to.equal(undefined);
    });
  });

  describe('making, listing and changing', () => {
    it('limits are shown in their usual form by the answer, the list and a change', async () => {
      const expires = inAnHour();
      const { id, answer } = await made({
        expires_at: expires,
        scopes: ['read'],
        addresses: ['192.0.2.7/24', '::FFFF:192.0.2.9', '192.0.2.0/24'],
      });
      const shown = { expires_at: expires, scopes: ['read'], addresses: ['192.0.2.0/24', '192.0.2.9'] };
      expect(answer.body).to.deep.include(shown);
      expect((await list())[0]).to.deep.include({ id, status: 'active', ...shown });
      const changed = await change(id, { name: 'watcher', addresses: null });
      expect(changed.body).to.deep.equal({ ...shown, id, name: 'watcher', account: null, addresses: null, trade_limits: null });
      expect((await list())[0]).to.deep.include({ id, name: 'watcher', ...shown, addresses: null });
      const free = await change(id, { scopes: null, expires_at: null });
      expect(free.body).to.deep.include({ expires_at: null, scopes: ['read', 'trade'], addresses: null });
    });

    it('none is the default', async () => {
      const { answer } = await made({});
      expect(answer.body).to.deep.include({ expires_at: null, scopes: ['read', 'trade'], addresses: null });
    });

    const wrong: [name: string, limits: object][] = [
      ...[['now'], [1], ['2099-01-01'], ['2099-13-01T00:00:00Z'], ['2099-01-01T00:00:00'], [''], [{}]].map(
        ([expires_at]) => [`expires_at ${JSON.stringify(expires_at)}`, { expires_at }] as [string, object],
      ),
      ...[[], ['all'], ['read', 'read'], 'read', ['READ'], [null], { 0: 'read' }].map(
        (scopes) => [`scopes ${JSON.stringify(scopes)}`, { scopes }] as [string, object],
      ),
      ...[
        [],
        '192.0.2.7',
        ['x'],
        ['192.0.2.7/33'],
        [1],
        ['192.0.2.7', null],
        Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`),
      ].map((addresses) => [`addresses ${JSON.stringify(addresses).slice(0, 40)}`, { addresses }] as [string, object]),
    ];
    it('refuses an end that has passed', async () => {
      const { id } = await made({});
      const passed = { expires_at: '2020-01-01T00:00:00Z' };
      for (const { status, body } of [await node.post(KEYS, { name: 'bot', ...passed }, bearer(user)), await change(id, passed)])
        expect([status, body.code]).to.deep.equal([409, 'time_passed']);
    });

    for (const [name, limits] of wrong) {
      it(`refuses ${name}, when a key is made and when it is changed`, async () => {
        const { id } = await made({});
        for (const { status, body } of [
          await node.post(KEYS, { name: 'bot', ...limits }, bearer(user)),
          await change(id, limits),
        ]) {
          expect(status).to.equal(400);
          expect(body.code).to.equal('invalid_request');
        }
        expect(await list()).to.have.length(1);
      });
    }

    it('20 addresses are taken', async () => {
      const addresses = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`);
      expect((await made({ addresses })).answer.body.addresses).to.deep.equal(addresses);
    });

    it('a change names something that is changed, and a key of the user', async () => {
      const { id } = await made({});
      for (const body of [{}, { scope: ['read'] }, [], null]) expect((await change(id, body)).status).to.equal(400);
      const stranger = await node.register();
      for (const [whose, key] of [
        [stranger, id],
        [user, 'key_0'],
        [user, '%00'],
        [user, '$ne'],
      ] as const) {
        expect((await change(key, { name: 'x' }, whose)).status).to.equal(404);
      }
      await node.request('DELETE', `${KEYS}/${id}`, { headers: bearer(user) });
      expect((await change(id, { name: 'x' })).status).to.equal(404);
      const { apiKey } = await made({});
      expect((await node.post(`${KEYS}/${id}/change`, { name: 'x' }, { 'x-api-key': apiKey })).status).to.equal(401);
    });

    it('of changes at the same moment none undoes another', async () => {
      const { id } = await made({});
      const answers = await Promise.all([
        change(id, { scopes: ['read'] }),
        change(id, { addresses: ['192.0.2.7'] }),
        change(id, { name: 'new' }),
      ]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect((await list())[0]).to.deep.include({ name: 'new', scopes: ['read'], addresses: ['192.0.2.7'] });
    });

    it('each act is in the audit log, without values', async () => {
      const { id } = await made({ addresses: ['192.0.2.7'] });
      await change(id, { addresses: ['198.51.100.1'], scopes: ['read'] });
      await node.post(`${KEYS}/${id}/rotate`, {}, bearer(user));
      const { body, text } = await node.request('GET', '/v1/auth/audit', { headers: bearer(user) });
      const acts = body.items.map(({ action, detail }: Record<string, string>) => `${action} ${detail}`);
      expect(acts.slice(0, 3)).to.deep.equal([
        `api_key.rotated ${id}`,
        `api_key.changed ${id} scopes,addresses`,
        `api_key.created ${id}`,
      ]);
      expect(text).to.not.match(/192\.0\.2|198\.51/);
    });
  });

  describe('made anew', () => {
    const rotate = (id: string, headers: Record<string, string> = {}): Promise<Answer> =>
      node.post(`${KEYS}/${id}/rotate`, {}, { ...bearer(user), ...headers });

    it('the key before it stops with its sockets; id, name, limits and the used requests stay', async () => {
      const { id, apiKey } = await made({ scopes: ['read'], addresses: ['127.0.0.1'] });
      const [client, far] = [await connect(apiKey), await connect(apiKey, proxied)];
      const before = Number((await info(apiKey)).headers.get('x-ratelimit-remaining'));
      const { status, body } = await rotate(id);
      expect(status).to.equal(200);
      expect(body).to.deep.include({ id, name: 'bot', scopes: ['read'], addresses: ['127.0.0.1'], expires_at: null });
      expect(body.api_key)
        .to.match(/^pe_[0-9A-Za-z]{32}$/)
        .and.not.equal(apiKey);
      expect((await info(apiKey)).status).to.equal(401);
      await until(async () => (await info(apiKey, proxied)).status === 401);
      for (const one of [client, far]) await until(() => one.closed?.code === 4001);
      const after = await info(body.api_key);
      expect(after.status).to.equal(200);
      expect(Number(after.headers.get('x-ratelimit-remaining'))).to.be.lessThan(before);
      expect((await trade(body.api_key)).status).to.equal(403);
      const fresh = await connect(body.api_key);
      for (let n = 0; n < 20; n++)
        expect((await posted(fresh, { type: 'info', payload: { type: 'allMids' } }, n)).type).to.equal('info');
      expect(fresh.closed).to.equal(undefined);
      expect(await list()).to.have.length(1);
    });

    it('a repetition under its Idempotency-Key shows the same key', async () => {
      const { id } = await made({});
      const [one, two] = [await rotate(id, { 'idempotency-key': 'again' }), await rotate(id, { 'idempotency-key': 'again' })];
      expect(two.body.api_key).to.equal(one.body.api_key);
      expect((await info(one.body.api_key)).status).to.equal(200);
    });

    it('another user’s key, and one that is revoked: 404', async () => {
      const { id, apiKey } = await made({});
      const stranger = await node.register();
      expect((await node.post(`${KEYS}/${id}/rotate`, {}, bearer(stranger))).status).to.equal(404);
      expect((await info(apiKey)).status).to.equal(200);
      await node.request('DELETE', `${KEYS}/${id}`, { headers: bearer(user) });
      expect((await rotate(id)).status).to.equal(404);
    });
  });

  it('a key that is made again under its Idempotency-Key, the first answer forgotten, has the limits of the second', async () => {
    const make = async (limits: object): Promise<{ id: string; api_key: string }> => {
      const headers = { ...bearer(user), 'idempotency-key': 'again-and-again' };
      const { status, body, text } = await node.post(
        KEYS,
        { ...limits, name: 'scopes' in limits ? 'reads' : 'does all' },
        headers,
      );
      expect(status, text).to.equal(200);
      await node.redis.flushall();
      return body;
    };
    const all = await make({});
    const reading = await make({ scopes: ['read'], expires_at: inAnHour() });
    expect((await list()).map(({ id, name, scopes }) => ({ id, name, scopes }))).to.deep.equal([
      { id: reading.id, name: 'reads', scopes: ['read'] },
    ]);
    for (const at of [node, proxied]) expect((await trade(reading.api_key, at)).status).to.equal(403);
    const again = await make({});
    expect(await list()).to.have.length(1);
    expect((await list())[0]).to.deep.include({ id: again.id, scopes: ['read', 'trade'], expires_at: null });
    expect((await trade(again.api_key)).status).to.equal(200);
    expect(new Set([all.id, reading.id, again.id])).to.have.property('size', 1);
  });

  it('a key that is made again under its Idempotency-Key: its first text stops at every node; once revoked it is not made again', async () => {
    const make = (): Promise<Answer> => node.post(KEYS, { name: 'again' }, { ...bearer(user), 'idempotency-key': 'made-again' });
    const { body: first } = await make();
    for (const at of [node, proxied]) expect((await trade(first.api_key, at)).status).to.equal(200);
    await node.redis.flushall();
    const { body: second } = await make();
    expect(second.id).to.equal(first.id);
    expect((await trade(second.api_key)).status).to.equal(200);
    expect((await trade(first.api_key)).status).to.equal(401);
    await until(async () => (await trade(first.api_key, proxied)).status === 401);
    await node.request('DELETE', `${KEYS}/${first.id}`, { headers: bearer(user) });
    await node.redis.flushall();
    const { status, body } = await make();
    expect([status, body.code]).to.deep.equal([409, 'api_key_revoked']);
  });

  it('with MongoDB away a node that has just started keeps the limits of a key', async () => {
    const own = { redis: stores.redis, mongo: await startMongo({ memory: true }) };
    const first = await ApiNode.start(own);
    const owner = await first.register();
    const key = async (limits: object): Promise<string> =>
      (await first.post(KEYS, { name: 'bot', ...limits }, bearer(owner))).body.api_key;
    const [reading, elsewhere] = [await key({ scopes: ['read'] }), await key({ addresses: ['192.0.2.7'] })];
    for (const apiKey of [reading, elsewhere]) {
      await info(apiKey, first);
      await until(async () => (await first.redis.exists(apiKeyKeys.record(digestOf(apiKey)))) === 1);
    }
    await own.mongo.kill();
    const fresh = await ApiNode.start(own, { env: { MONGO_TIMEOUT_MS: '1000' } });
    expect((await info(reading, fresh)).status).to.equal(200);
    expect((await trade(reading, fresh)).status).to.equal(403);
    expect((await info(elsewhere, fresh)).body.code).to.equal('address_not_allowed');
    await Promise.all([first.stop(), fresh.stop()]);
  });
});
