import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import type { MarketChange, VenueCandle } from '../../../src/market/domain/feed.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const MINUTE_MS = 60_000;
const CHANNELS = ['allMids', 'l2Book', 'bbo', 'trades', 'candle', 'activeAssetCtx', 'assetCtxs', 'userFills', 'nothing'];
const COINS = ['BTC', 'ETH', 'NOPE', '', '@1', '__proto__', 'B\u0000TC', '𝔹', 'x'.repeat(100)];

describe('sockets under pressure', function () {
  this.timeout(600_000);
  const stores = useStores();
  let node: ApiNode;
  let apiKey: string;
  let client: StreamClient;
  /** A promise that an account's gateway waits for, when a test wants it to. */
  let held: Promise<void> | undefined;

  const env = {
    PLAN_BASIC_REQUESTS_PER_MINUTE: '1000000',
    PLAN_BASIC_MESSAGES_PER_MINUTE: '1000000',
    STREAM_BUFFER_BYTES: '1048576',
  };

  before(async () => {
    node = await ApiNode.start(stores, { env });
    ({ apiKey } = await node.createKey(await node.register()));
    for (const type of ['l2Book', 'recentTrades', 'candleSnapshot']) node.exchange.upstreamAnswers.set(type, []);
    node.exchange.upstreamAnswers.set('spotMeta', { universe: [], tokens: [] });
    node.exchange.upstreamAnswers.set('spotMetaAndAssetCtxs', [{ universe: [], tokens: [] }, []]);
  });
  beforeEach(async () => {
    client = await StreamClient.connect(node.baseUrl, { apiKey });
  });
  afterEach(() => client.stop());
  after(() => node.stop());

  const lives = async (socket = client): Promise<void> => {
    socket.send({ method: 'ping' });
    await socket.next('pong');
  };
  const ourFaults = (): string[] => node.logLines.filter((line) => line.includes('fault of our own'));
  const happen = (...changes: MarketChange[]): void => {
    for (const change of changes) node.exchange.market.apply(change);
    node.stream.onChanges(changes);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('whatever is in a frame, the socket lives and nothing breaks', async () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(...COINS, Number.MAX_VALUE, -0, [], {}, null));
    const subscription = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...CHANNELS), odd),
        coin: fc.oneof(fc.constantFrom(...COINS), odd),
        ...{ interval: odd, nSigFigs: odd, mantissa: odd, dex: odd, user: odd, fast: odd, nLevels: odd, fromSeq: odd },
      },
      { requiredKeys: [] },
    );
    const request = fc.record({
      type: fc.oneof(fc.constantFrom('info', 'action'), odd),
      payload: fc.oneof(
        fc.record({ type: fc.oneof(fc.constantFrom(...CHANNELS), odd), coin: odd }),
        fc.record({ action: odd }),
        odd,
      ),
    });
    const frame = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record(
          {
            method: fc.oneof(fc.constantFrom('subscribe', 'unsubscribe', 'post', 'ping'), odd),
            subscription: fc.oneof(subscription, odd),
            id: fc.oneof(fc.nat(), odd),
            request: fc.oneof(request, odd),
          },
          { requiredKeys: [] },
        )
        .map((fields) => JSON.stringify(fields)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 5, maxLength: 30 }), async (frames) => {
        for (const text of frames) client.send(text);
        await lives();
      }),
      { numRuns: 150 },
    );
    await client.stop();
    client = await StreamClient.connect(node.baseUrl, { apiKey });
    const nested = '['.repeat(100_000);
    client.send(`{"method":"post","id":1,"request":{"type":"info","payload":${nested}${']'.repeat(100_000)}}}`);
    expect((await client.next('post')).data.response.payload).to.match(/^400 .*deeper/);
    client.send(`{"method":"post","id":1,"request":{"type":"info","payload":{"type":"meta","x":${'9'.repeat(200)}}}}`);
    expect((await client.next('post')).data.response.payload).to.match(/^400 .*digits/);
    client.send(`{"method":"subscribe","subscription":{"type":"l2Book","coin":${nested}`);
    expect((await client.next('error')).data.length).to.be.below(20_000);
    await lives();
    expect(ourFaults()).to.deep.equal([]);
  });

  it('messages count by their bytes too, also those of which a part never comes', async () => {
    const small = await ApiNode.start(stores, { env: { ...env, PLAN_BASIC_SOCKET_BYTES_PER_MINUTE: '200000' } });
    try {
      const { apiKey: key } = await small.createKey(await small.register());
      const whole = await StreamClient.connect(small.baseUrl, { apiKey: key });
      const junk = `{"method":"nothing","x":"${'x'.repeat(50_000)}"}`;
      for (let i = 0; i < 5; i++) whole.send(junk);
      await until(() => whole.closed !== undefined);
      expect(whole.closed?.code).to.equal(4029);
      const half = await StreamClient.connect(small.baseUrl, { apiKey: key });
      half.socket.send('x'.repeat(250_000), { fin: false });
      await until(() => half.closed !== undefined);
      expect(half.closed?.code).to.equal(4029);
    } finally {
      await small.stop();
    }
  });

  it('the sockets of a user share a pace: of five keys, however many sockets there are', async () => {
    const small = await ApiNode.start(stores, {
      env: { ...env, PLAN_BASIC_MESSAGES_PER_MINUTE: '20', PLAN_BASIC_SOCKETS: '10' },
    });
    try {
      const { apiKey: key } = await small.createKey(await small.register());
      const clients = await Promise.all(Array.from({ length: 6 }, () => StreamClient.connect(small.baseUrl, { apiKey: key })));
      for (const one of clients) {
        for (let i = 0; i < 19; i++) one.send({ method: 'ping' });
        await until(() => one.all('pong').length === 19 || one.closed !== undefined);
      }
      expect(clients.at(-1)?.closed?.code).to.equal(4029);
      expect(clients.filter(({ closed }) => closed !== undefined)).to.have.length(1);
      await Promise.all(clients.map((one) => one.stop()));
    } finally {
      await small.stop();
    }
  });

  it('what waits at all sockets of a user has a bound: the fullest is closed', async () => {
    const small = await ApiNode.start(stores, { env: { ...env, STREAM_BUFFER_BYTES_PER_USER: '300000' } });
    try {
      const { apiKey: key } = await small.createKey(await small.register());
      const clients = await Promise.all(Array.from({ length: 3 }, () => StreamClient.connect(small.baseUrl, { apiKey: key })));
      // Whenever there is too much, the last one has more than any other, however little of it has arrived.
      for (const [i, one] of clients.entries()) one.socket.send('x'.repeat(i === 2 ? 120_000 : 95_000), { fin: false });
      await until(() => clients.some(({ closed }) => closed !== undefined));
      expect(clients.map(({ closed }) => closed !== undefined)).to.deep.equal([false, false, true]);
      await Promise.all(clients.map((one) => one.stop()));
    } finally {
      await small.stop();
    }
  });

  it('refusals that a client causes at will do not write a line each', async () => {
    const before = node.logLines.length;
    for (let i = 0; i < 200; i++) client.send({ method: 'subscribe', subscription: { type: 'l2Book', coin: `NOPE${i}` } });
    for (let i = 0; i < 200; i++) await client.next('error');
    for (let i = 0; i < 50; i++) await node.post('/v1/exchanges/perpx/info', {}, { 'x-api-key': 'pe_wrong' });
    const lines = node.logLines.slice(before).filter((line) => line.includes('request refused'));
    expect(lines.length).to.be.below(10);
  });

  it('a subscription is no place to keep texts in: a long one is not read', async () => {
    const subscription = { type: 'l2Book', coin: 'BTC', junk: 'x'.repeat(2000) };
    client.send({ method: 'subscribe', subscription });
    expect((await client.next('error')).data).to.match(/^Error parsing JSON/);
  });

  it('a frame in pieces is one frame', async () => {
    const text = '{"method":"subscribe","subscription":{"type":"bbo","coin":"BTC"}}';
    for (const [i, letter] of [...text].entries()) client.socket.send(letter, { fin: i === text.length - 1 });
    expect((await client.next()).data.subscription).to.deep.equal({ type: 'bbo', coin: 'BTC' });
  });

  it('100,000 subscriptions are a thousand, and the rest errors', async () => {
    const frames = Array.from({ length: 4000 }, (_, i) => {
      const subscription = { type: 'l2Book', coin: node.exchange.coinOf(i % 200), nLevels: Math.floor(i / 200) + 1 };
      return JSON.stringify({ method: 'subscribe', subscription });
    });
    const came = { subscriptionResponse: 0, error: 0, l2Book: 0 };
    client.socket.removeAllListeners('message');
    client.socket.on('message', (data: Buffer) => {
      const [, channel] = /^{"channel":"(\w+)"/.exec(data.toString('latin1', 0, 40)) ?? [];
      came[channel as keyof typeof came] += 1;
    });
    const sent = 100_000;
    for (let i = 0; i < sent; i++) {
      client.send(frames[i % frames.length] ?? '');
      // The client shares our thread: it has to get its turns to read.
      if (i % 200 === 199) await turn();
    }
    await until(() => came.subscriptionResponse + came.error === sent);
    expect(came.subscriptionResponse).to.equal(1000);
    expect(await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey })).to.include({ status: 200 });
  });

  it('what is no WebSocket frame costs the connection, not the node', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = connectTcp(Number(new URL(node.baseUrl).port), '127.0.0.1');
      const key = randomBytes(16).toString('base64');
      socket.write(
        `GET /v1/exchanges/perpx/key/${apiKey}/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
      const [head] = await once(socket, 'data');
      expect(String(head)).to.match(/^HTTP\/1\.1 101 /);
      // No client frame has its first bits like this.
      socket.write(Buffer.concat([Buffer.from([0xf0 | (i % 16)]), randomBytes(200)]));
      socket.resume();
      await once(socket, 'close');
    }
    await lives();
  });

  describe('a client that does not read', () => {
    const stall = (): void => client.socket.pause();

    it('gets the latest state of market channels when it reads again, and is not closed', async () => {
      client.subscribe({ type: 'allMids' });
      await client.next('allMids');
      stall();
      const changes = 5000;
      for (let i = 1; i <= changes; i++) {
        happen({ type: 'mids', timeMs: i, mids: { BTC: `${i}.5` } });
        if (i % 50 === 0) await turn();
      }
      client.socket.resume();
      await until(() => client.messages.at(-1)?.data.mids?.BTC === `${changes}.5`);
      expect(client.all('allMids').length).to.be.below(changes);
      await lives();
    });

    it('gets how each candle ended all the same', async () => {
      const startMs = Math.floor(node.exchange.nowMs / MINUTE_MS) * MINUTE_MS;
      const push = (minute: number, n: number): void => {
        const t = startMs + minute * MINUTE_MS;
        const rest = { o: '1.0', c: '1.0', h: '1.0', l: '1.0', v: '1.0' };
        const candle: VenueCandle = { t, T: t + MINUTE_MS - 1, s: 'BTC', i: '1m', n, ...rest };
        happen({ type: 'candle', coin: 'BTC', timeMs: node.exchange.nowMs + minute, candle });
      };
      push(0, 1);
      client.subscribe({ type: 'candle', coin: 'BTC', interval: '1m' });
      await client.next('candle');
      client.subscribe({ type: 'allMids' });
      await client.next('allMids');
      stall();
      const minutes = 200;
      for (let minute = 1; minute <= minutes; minute++) {
        for (let n = 1; n <= 5; n++) push(minute, n);
        for (let i = 1; i <= 20; i++) happen({ type: 'mids', timeMs: i, mids: { BTC: `${minute}.${i}` } });
        await turn();
      }
      client.socket.resume();
      const ended = () => new Set(client.all('candle').flatMap(({ data }) => (data.n === 5 ? [data.t] : [])));
      await until(() => ended().has(startMs + minutes * MINUTE_MS));
      expect(ended().size).to.equal(minutes);
      expect(client.closed).to.equal(undefined);
    });

    it('is closed with a code past the bound, and has lost nothing before it', async () => {
      client.subscribe({ type: 'trades', coin: 'ETH' });
      await client.next('subscriptionResponse');
      stall();
      let tid = 0;
      while (client.socket.readyState === 1 && tid < 200_000) {
        const trades = Array.from({ length: 30 }, () => ({ side: 'buy' as const, price: '1', size: '1', timeMs: 1, tid: ++tid }));
        happen({ type: 'trades', coin: 'ETH', tick: `${tid}-0`, trades });
        if (tid % 3000 === 0) await turn();
      }
      client.socket.resume();
      expect(await client.close()).to.deep.equal({ code: 4008, reason: 'The client reads too slowly.' });
      const tids = client.all('trades').flatMap(({ data }) => data.map((trade: { tid: number }) => trade.tid));
      expect(tids).to.deep.equal(tids.map((_, i) => i + 1));
      expect(tids.length).to.be.above(1000);
    });
  });

  it('a stop answers the posts in flight, then closes', async () => {
    let release = (): void => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    let reached = false;
    const { gateway } = node.exchange.services;
    const slow = gatewayOf(async (...args) => {
      reached = true;
      await held;
      return gateway.send(...args);
    });
    const leaving = await ApiNode.start(stores, { env, gateway: slow });
    const socket = await StreamClient.connect(leaving.baseUrl, { apiKey });
    const action = { type: 'cancel', cancels: [{ a: 0, o: 1 }] };
    socket.send({ method: 'post', id: 9, request: { type: 'action', payload: { action, nonce: 1 } } });
    await until(() => reached);
    for (let id = 10; id < 110; id++)
      socket.send({ method: 'post', id, request: { type: 'info', payload: { type: 'openOrders' } } });
    expect((await socket.next('error')).data).to.equal('too many pending post requests id=109');
    const stopped = leaving.stop();
    await turn();
    socket.send({ method: 'ping' });
    release();
    expect((await socket.close()).code).to.equal(1001);
    expect(socket.all('post').map(({ data }) => data.id)).to.have.members(Array.from({ length: 100 }, (_, i) => 9 + i));
    expect(socket.all('pong')).to.deep.equal([]);
    await stopped;
  });
});
