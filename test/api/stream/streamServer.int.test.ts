import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { socketSlotsKey } from '../../../src/shared/redis/keys.ts';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const WS = '/v1/exchanges/perpx/ws';
const DAY_MS = 86_400_000;

describe('streamServer: who gets a socket, and what it understands', () => {
  const stores = useStores();
  let node: ApiNode;
  let user: TestUser;
  let apiKey: string;
  let clockOffsetMs = 0;
  let env: Record<string, string>;
  const clients: StreamClient[] = [];

  before(async () => {
    env = {
      PLAN_BASIC_REQUESTS_PER_MINUTE: '100000',
      ANONYMOUS_REQUESTS_PER_MINUTE: '100000',
      PLAN_BASIC_SOCKETS: '3',
      PLAN_BASIC_SUBSCRIPTIONS: '4',
      PLAN_BASIC_MESSAGES_PER_MINUTE: '200',
    };
    node = await ApiNode.start(stores, { env, now: () => Date.now() + clockOffsetMs });
    user = await node.register();
    ({ apiKey } = await node.createKey(user));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.stop()));
  });
  after(() => node.stop());

  const connect = async (options: { path?: string; headers?: Record<string, string>; apiKey?: string } = {}) => {
    const client = await StreamClient.connect(node.baseUrl, { apiKey, ...options });
    clients.push(client);
    return client;
  };
  const refusal = (options: { path?: string; headers?: Record<string, string>; apiKey?: string }) =>
    connect(options).then(
      () => 'accepted',
      (error: Error) => error.message,
    );

  describe('the upgrade', () => {
    it('takes the key from the header, the path or the query', async () => {
      for (const options of [
        { path: WS, headers: { 'x-api-key': apiKey } },
        { path: `/v1/exchanges/perpx/key/${apiKey}/ws` },
        { path: `${WS}?apiKey=${apiKey}` },
        { path: `${WS}?x=1&apiKey=${apiKey}&y=2` },
        { path: `//v1/exchanges/perpx/key/${apiKey}//ws/` },
      ]) {
        const client = await connect(options);
        client.send({ method: 'ping' });
        expect(await client.next()).to.deep.equal({ channel: 'pong' });
        await client.stop();
      }
    });

    it('is refused without a valid key', async () => {
      for (const path of [WS, `${WS}?apiKey=`, `${WS}?apiKey=pe_${'0'.repeat(32)}`, '/v1/exchanges/perpx/key/nope/ws']) {
        expect(await refusal({ path })).to.equal('refused with 401');
      }
    });

    it('is refused when the trial is over', async () => {
      clockOffsetMs = 4 * DAY_MS;
      expect(await refusal({})).to.equal('refused with 403');
      clockOffsetMs = 0;
    });

    it('is refused elsewhere', async () => {
      expect(await refusal({ path: '/v1/exchanges/other/ws', headers: { 'x-api-key': apiKey } })).to.equal('refused with 404');
      expect(await refusal({ path: '/v1/exchanges/perpx/info', headers: { 'x-api-key': apiKey } })).to.equal('refused with 405');
    });

    it('is asked for by whoever comes without', async () => {
      const { status, body, headers } = await node.request('GET', WS, { headers: { 'x-api-key': apiKey } });
      expect([status, body.code, headers.get('upgrade')]).to.deep.equal([426, 'upgrade_required', 'websocket']);
    });

    it('is refused without a valid handshake', async () => {
      const nonce = 'dGhlIHNhbXBsZSBub25jZQ==';
      for (const [version, key] of [
        ['12', nonce],
        ['13', 'short'],
        ['13', ''],
      ]) {
        const headers = {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': version,
          'sec-websocket-key': key,
        };
        const request = httpRequest(`${node.baseUrl}${WS}?apiKey=${apiKey}`, { headers }).end();
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        const { code } = (await json(response)) as { code: string };
        expect([response.statusCode, code]).to.deep.equal([400, 'invalid_handshake']);
      }
    });

    it('to another protocol is passed over', async () => {
      const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
        const request = httpRequest(
          `${node.baseUrl}/v1/exchanges/perpx/info`,
          {
            method: 'POST',
            headers: {
              connection: 'Upgrade, HTTP2-Settings',
              upgrade: 'h2c',
              'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
              'x-api-key': apiKey,
              'content-type': 'application/json',
            },
          },
          (response) => {
            let text = '';
            response.on('data', (chunk) => {
              text += chunk;
            });
            response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
          },
        );
        request.on('error', reject);
        request.end('{"type":"allMids"}');
      });
      expect(answer.status).to.equal(200);
      expect(JSON.parse(answer.text)).to.have.property('BTC');
    });

    it('is refused past the connections of the plan, until one is closed', async () => {
      const [first] = [await connect(), await connect(), await connect()];
      expect(await refusal({})).to.equal('refused with 429');
      await first?.stop();
      await until(async () => (await refusal({})) === 'accepted');
    });
  });

  describe('the places of a key', () => {
    it('are those of all nodes together, and free again with the socket', async () => {
      const other = await ApiNode.start(stores, { env: { ...env } });
      try {
        const [first] = [await connect(), await connect()];
        clients.push(await StreamClient.connect(other.baseUrl, { apiKey }));
        expect(await refusal({})).to.equal('refused with 429');
        await first?.stop();
        await until(async () => (await refusal({})) === 'accepted');
      } finally {
        await other.stop();
      }
    });

    it('are free when the node that held them is not heard of any more', async () => {
      const { apiKey: another, id } = await node.createKey(user, 'another');
      const places = socketSlotsKey(id);
      await node.redis.zadd(places, 1, 'dead:1', 1, 'dead:2', Date.now() + 60_000, 'alive:1');
      await connect({ apiKey: another });
      await connect({ apiKey: another });
      expect(await refusal({ apiKey: another })).to.equal('refused with 429');
      expect(await node.redis.zrange(places, 0, -1))
        .to.have.length(3)
        .and.to.include('alive:1');
    });
  });

  describe('a refused upgrade', () => {
    it('does not hold its connection', async () => {
      const socket = connectTcp({ port: Number(new URL(node.baseUrl).port), host: '127.0.0.1', allowHalfOpen: true });
      const head = ['Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
      socket.write(`GET ${WS} HTTP/1.1\r\n${head.join('\r\n')}\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      await once(socket, 'end');
      expect(answer)
        .to.match(/^HTTP\/1\.1 401 /)
        .and.to.include('"code":"invalid_api_key"');
      // A message that comes now finds nobody.
      socket.on('error', () => undefined);
      await until(() => {
        socket.write('x');
        return socket.destroyed;
      });
    });
  });

  describe('a socket', () => {
    it('answers what it cannot read with the text, and lives', async () => {
      const client = await connect();
      for (const text of ['', 'ping', '{"method":"nothing"}', '{"method":"subscribe","subscription":{"type":"nothing"}}']) {
        client.send(text);
        const want = { channel: 'error', data: `Error parsing JSON into valid websocket request: ${text}` };
        expect(await client.next()).to.deep.equal(want);
      }
      client.socket.send(Buffer.from('{"method":"ping"}'), { binary: true });
      expect((await client.next()).channel).to.equal('error');
      client.send({ method: 'ping' });
      expect(await client.next()).to.deep.equal({ channel: 'pong' });
    });

    it('subscribes once, with the echo first and the snapshot after it', async () => {
      const client = await connect();
      client.subscribe({ type: 'allMids', dex: '', extra: 1 });
      expect(await client.next()).to.deep.equal({
        channel: 'subscriptionResponse',
        data: { method: 'subscribe', subscription: { type: 'allMids', dex: '' } },
      });
      const { channel, data } = await client.next();
      expect([channel, data.mids]).to.deep.equal(['allMids', node.exchange.market.mids()]);
      client.send('{"method":"subscribe", "subscription":{"type": "allMids"}}');
      expect((await client.next()).data).to.equal('Already subscribed: {"type": "allMids"}');
      client.unsubscribe({ type: 'allMids' });
      expect((await client.next()).data).to.deep.equal({ method: 'unsubscribe', subscription: { type: 'allMids' } });
      client.unsubscribe({ type: 'allMids' });
      expect((await client.next()).data).to.equal('Already unsubscribed: {"type":"allMids"}');
    });

    it('names an unknown coin or a wrong field as it was sent, and lives', async () => {
      const client = await connect();
      for (const subscription of [
        { type: 'l2Book', coin: 'NOPE' },
        { type: 'l2Book' },
        { type: 'l2Book', coin: 7 },
        { type: 'l2Book', coin: 'BTC', nSigFigs: 9 },
        { type: 'l2Book', coin: 'BTC', nSigFigs: 4, mantissa: 2 },
        { type: 'allMids', dex: 'xyz' },
      ]) {
        client.subscribe(subscription);
        const want = { channel: 'error', data: `Invalid subscription ${JSON.stringify(subscription)}` };
        expect(await client.next()).to.deep.equal(want);
      }
      client.send({ method: 'ping' });
      expect(await client.next()).to.deep.equal({ channel: 'pong' });
    });

    it('holds as many subscriptions as the plan includes', async () => {
      const client = await connect();
      const coins = ['BTC', 'ETH', 'SOL', 'AVAX', 'ATOM'];
      for (const coin of coins) client.subscribe({ type: 'l2Book', coin });
      const { data } = await client.next('error');
      expect(data).to.equal('Cannot subscribe to more than 4 channels.');
      client.unsubscribe({ type: 'l2Book', coin: 'BTC', nSigFigs: null });
      client.subscribe({ type: 'l2Book', coin: 'ATOM' });
      await until(() => client.all('l2Book').some((message) => message.data.coin === 'ATOM'));
    });

    it('is closed when it sends too much', async () => {
      const client = await connect();
      for (let i = 0; i < 201; i++) client.send({ method: 'ping' });
      expect(await client.close()).to.deep.equal({ code: 4029, reason: 'Too many messages.' });
      expect(client.messages).to.have.length(200);
    });

    it('is closed when it sends a frame beyond the size of a body', async () => {
      const client = await connect();
      client.send(`{"method":"ping","x":"${'x'.repeat(1_048_576)}"}`);
      expect((await client.close()).code).to.equal(1009);
    });

    it('is closed when nothing was sent for a minute', async () => {
      const client = await connect();
      clockOffsetMs = 61_000;
      expect((await client.close()).code).to.equal(4000);
      clockOffsetMs = 0;
    });

    it('is closed within a second of the end of the trial', async () => {
      const client = await connect();
      clockOffsetMs = 3 * DAY_MS;
      expect((await client.close()).code).to.equal(4003);
      clockOffsetMs = 0;
    });

    it('is told a day before the end of the trial, and at the end, where it listens to notifications', async () => {
      const client = await connect();
      const told = () => client.all('notification').map(({ data }) => data.notification);
      clockOffsetMs = 2 * DAY_MS + 1000;
      client.subscribe({ type: 'notification' });
      await until(() => told().length > 0);
      clockOffsetMs = 3 * DAY_MS;
      await client.close();
      clockOffsetMs = 0;
      const [near, over] = told();
      expect(near).to.match(/^The trial ends at \S+Z: pay before it to go on trading$/);
      expect(over).to.match(/^The trial has ended at \S+Z$/);
      expect(told()).to.have.length(2);
    });

    it('is told of an invoice that is made and paid, whatever node it is at', async () => {
      const second = await ApiNode.start(stores, { env: { ...env, NODE_ID: 'api-second' } });
      const client = await connect();
      const elsewhere = await StreamClient.connect(second.baseUrl, { apiKey });
      clients.push(elsewhere);
      const told = (one: StreamClient) => one.all('notification').map(({ data }) => data.notification);
      for (const one of [client, elsewhere]) {
        one.subscribe({ type: 'notification' });
        await one.next('subscriptionResponse');
      }
      const headers = { authorization: `Bearer ${user.token}` };
      const { body: invoice } = await node.post('/v1/billing/subscribe', { plan: 'basic', period: 'month' }, headers);
      await node.request('POST', new URL(invoice.pay_url).pathname);
      for (const one of [client, elsewhere]) {
        await until(() => told(one).length === 2);
        expect(told(one)[0]).to.match(new RegExp(`^Invoice ${invoice.id}: \\$20\\.00 for plan basic, to be paid by \\S+Z$`));
        expect(told(one)[1]).to.equal(`Invoice ${invoice.id} is paid: plan basic`);
      }
      await elsewhere.stop();
      await second.stop();
    });

    it('is closed when its key is revoked, and the one of another key is not', async () => {
      const other = await node.createKey(user);
      const client = await connect({ apiKey: other.apiKey });
      const staying = await connect();
      const { status } = await node.request('DELETE', `/v1/auth/api-keys/${other.id}`, {
        headers: { authorization: `Bearer ${user.token}` },
      });
      expect(status).to.be.lessThan(300);
      expect((await client.close()).code).to.equal(4001);
      staying.send({ method: 'ping' });
      expect(await staying.next()).to.deep.equal({ channel: 'pong' });
    });
  });

  describe('a post', () => {
    let client: StreamClient;
    beforeEach(async () => {
      await until(async () => (await refusal({})) === 'accepted');
      client = clients.at(-1) as StreamClient;
    });
    const post = async (request: object): Promise<unknown> => {
      client.send({ method: 'post', id: 5, request });
      const { channel, data } = await client.next();
      expect([channel, data.id]).to.deep.equal(['post', 5]);
      return data.response;
    };

    it('of info is answered as over HTTP, wrapped with its type', async () => {
      const body = { type: 'l2Book', coin: 'BTC' };
      const { body: data } = await node.post('/v1/exchanges/perpx/info', body, { 'x-api-key': apiKey });
      const response = (await post({ type: 'info', payload: body })) as { type: string; payload: { data: object } };
      expect(response).to.deep.include({ type: 'info' });
      expect(response.payload.data).to.have.keys(Object.keys(data));
    });

    it('of an action is answered as over HTTP', async () => {
      const action = { type: 'cancel', cancels: [{ a: 0, o: 1 }] };
      expect(await post({ type: 'action', payload: { action, nonce: 1 } })).to.deep.equal({
        type: 'action',
        payload: (await node.post('/v1/exchanges/perpx/exchange', { action, nonce: 1 }, { 'x-api-key': apiKey })).body,
      });
    });

    it('that cannot be read says so under its id', async () => {
      const refused = (await post({ type: 'action', payload: { action: { type: 'nothing' } } })) as { payload: object };
      expect(refused.payload).to.deep.include({ status: 'err', code: 'invalid_request' });
      const { type, payload } = (await post({ type: 'info', payload: { type: 'nothing' } })) as Record<string, string>;
      expect([type, payload?.slice(0, 15)]).to.deep.equal(['error', '400 Bad Request']);
      expect(await post({ type: 'info', payload: null })).to.deep.include({ type: 'error' });
      expect(await post({ type: 'info' })).to.deep.include({ type: 'error' });
    });
  });
});
