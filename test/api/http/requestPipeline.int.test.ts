import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const INFO = '/v1/exchanges/perpx/info';
const EXCHANGE = '/v1/exchanges/perpx/exchange';
const DAY_MS = 86_400_000;

const toText = (value: unknown): string => JSON.stringify(value);

describe('door: what may pass, and how everything else is answered', () => {
  const stores = useStores();
  let node: ApiNode;
  let user: TestUser;
  let apiKey: string;
  let keyId: string;
  let clockOffsetMs = 0;

  before(async () => {
    const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '100000', ANONYMOUS_REQUESTS_PER_MINUTE: '100000' };
    node = await ApiNode.start(stores, { env, now: () => Date.now() + clockOffsetMs });
    user = await node.register();
    ({ apiKey, id: keyId } = await node.createKey(user));
  });
  after(() => node.stop());

  const mids = (headers: Record<string, string> = {}, path = INFO): Promise<Answer> =>
    node.post(path, { type: 'allMids' }, headers);
  const ask = (body: unknown, path = INFO): Promise<Answer> => node.post(path, body, { 'x-api-key': apiKey });

  describe('an API key', () => {
    it('is taken from the header', async () => {
      expect((await mids({ 'x-api-key': apiKey })).status).to.equal(200);
    });

    for (const form of [
      '/v1/exchanges/perpx/key/KEY/info',
      '/v1/exchanges/perpx/key/KEY//info',
      '//v1//exchanges/perpx///key/KEY/info/',
      '/v1/exchanges/perpx/key/pe%5FREST/info',
    ]) {
      it(`is taken from the path ${form}`, async () => {
        const path = form.replace('KEY', apiKey).replace('REST', apiKey.slice(3));
        expect((await mids({}, path)).status).to.equal(200);
      });
    }

    it('of the header counts where both are given', async () => {
      expect((await mids({ 'x-api-key': apiKey }, '/v1/exchanges/perpx/key/pe_wrong/info')).status).to.equal(200);
      expect((await mids({ 'x-api-key': 'pe_wrong' }, `/v1/exchanges/perpx/key/${apiKey}/info`)).status).to.equal(401);
    });

    const wrong: { name: string; headers?: Record<string, string>; path?: string }[] = [
      { name: 'none' },
      { name: 'an empty header', headers: { 'x-api-key': '' } },
      { name: 'an unknown key', headers: { 'x-api-key': `pe_${'a'.repeat(32)}` } },
      { name: 'a key of another form', headers: { 'x-api-key': 'secret' } },
      { name: 'a key id', headers: { 'x-api-key': 'key_abc' } },
      { name: 'an unknown key in the path', path: `/v1/exchanges/perpx/key/pe_${'a'.repeat(32)}/info` },
      { name: 'the wrong case of `Bearer`', headers: { authorization: 'pe_x' } },
    ];
    for (const { name, headers, path } of wrong) {
      for (const endpoint of path ? [path] : [INFO, EXCHANGE]) {
        it(`${name} on ${endpoint.split('/').at(-1)}: 401, without the venue's fields`, async () => {
          const { status, body } = await mids(headers, endpoint);
          expect(status).to.equal(401);
          expect(body).to.have.all.keys('detail', 'code', 'msg');
          expect(body.code).to.equal('invalid_api_key');
        });
      }
    }

    it('and an access token may come together: each endpoint takes the one that it wants', async () => {
      const both = { 'x-api-key': apiKey, authorization: `Bearer ${user.token}` };
      expect((await mids(both)).headers.get('x-ratelimit-remaining')).to.not.equal(null);
      expect((await mids(both)).status).to.equal(200);
      for (const path of [
        '/v1/auth/me',
        '/v1/auth/api-keys',
        '/v1/billing/subscription',
        '/v1/exchanges/perpx/account/overview',
      ]) {
        expect((await node.request('GET', path, { headers: both })).status, path).to.equal(200);
      }
      const { token } = await node.register();
      const other = await node.request('GET', '/v1/auth/me', {
        headers: { 'x-api-key': apiKey, authorization: `Bearer ${token}` },
      });
      expect(other.body.id, 'of the token, whoever has the key').to.not.equal(user.id);
      const ended = await node.request('GET', '/v1/auth/me', { headers: { ...both, authorization: 'Bearer x.y.z' } });
      expect(ended.status).to.equal(401);
      const wrongKey = await node.request('GET', '/v1/auth/me', { headers: { ...both, 'x-api-key': `pe_${'a'.repeat(32)}` } });
      expect(wrongKey.status, 'beside a key that nobody has').to.equal(401);
    });
  });

  describe('each kind of refusal', () => {
    it('400 on info and exchange carries the venue’s fields too', async () => {
      for (const path of [INFO, EXCHANGE]) {
        const { status, body } = await ask({ nothing: 1 }, path);
        expect(status).to.equal(400);
        expect(body).to.have.all.keys('status', 'response', 'detail', 'code', 'msg');
        expect(body).to.include({ status: 'err', response: body.detail, msg: body.detail });
      }
    });

    it('403 once the trial is over, by the clock', async () => {
      const other = await node.register();
      const { apiKey: key } = await node.createKey(other);
      expect((await mids({ 'x-api-key': key })).status).to.equal(200);
      clockOffsetMs = 3 * DAY_MS;
      try {
        for (const path of [INFO, EXCHANGE]) {
          const { status, body } = await mids({ 'x-api-key': key }, path);
          expect(status).to.equal(403);
          expect(body).to.include({ code: 'trial_expired', status: 'err', response: body.detail });
        }
        const { body } = await node.request('GET', '/v1/auth/me', {
          headers: {
            authorization: `Bearer ${(await node.post('/v1/auth/login', { email: other.email, password: 'a good password' })).body.access_token}`,
          },
        });
        expect(body).to.include({ subscription_status: 'expired', payment_required: true });
      } finally {
        clockOffsetMs = 0;
      }
    });

    it('not 403 while a subscription runs or its grace does, and another code when both have run out', async () => {
      const other = await node.register();
      const { apiKey: key } = await node.createKey(other);
      await node.mongo.db
        .collection<{ _id: string }>('users')
        .updateOne({ _id: other.id }, { $set: { subscriptionExpiresAt: new Date(Date.now() + 30 * DAY_MS) } });
      try {
        clockOffsetMs = 29 * DAY_MS;
        expect((await mids({ 'x-api-key': key })).status).to.equal(200);
        clockOffsetMs = 32 * DAY_MS;
        expect((await mids({ 'x-api-key': key })).status).to.equal(200);
        clockOffsetMs = 34 * DAY_MS;
        expect((await mids({ 'x-api-key': key })).body.code).to.equal('subscription_expired');
      } finally {
        clockOffsetMs = 0;
      }
    });

    const paths: { name: string; method: string; path: string; status: number; code: string; allow?: string }[] = [
      { name: 'an unknown path', method: 'GET', path: '/nowhere', status: 404, code: 'not_found' },
      { name: 'a client that knows a host only', method: 'POST', path: '/info', status: 404, code: 'not_found' },
      { name: 'POST on the front page', method: 'POST', path: '/', status: 405, code: 'method_not_allowed', allow: 'HEAD, GET' },
      {
        name: 'an unknown endpoint of the exchange',
        method: 'POST',
        path: '/v1/exchanges/perpx/else',
        status: 404,
        code: 'not_found',
      },
      { name: 'another exchange', method: 'POST', path: '/v1/exchanges/other/info', status: 404, code: 'unknown_exchange' },
      {
        name: 'another exchange with a key',
        method: 'POST',
        path: '/v1/exchanges/perpX/key/pe_x/exchange',
        status: 404,
        code: 'unknown_exchange',
      },
      { name: 'a path in broken encoding', method: 'GET', path: '/v1/%zz', status: 400, code: 'invalid_path' },
      { name: 'GET on info', method: 'GET', path: INFO, status: 405, code: 'method_not_allowed', allow: 'POST' },
      { name: 'PUT on exchange', method: 'PUT', path: EXCHANGE, status: 405, code: 'method_not_allowed', allow: 'POST' },
      { name: 'OPTIONS on exchange', method: 'OPTIONS', path: EXCHANGE, status: 405, code: 'method_not_allowed', allow: 'POST' },
      {
        name: 'GET on register',
        method: 'GET',
        path: '/v1/auth/register',
        status: 405,
        code: 'method_not_allowed',
        allow: 'POST',
      },
      {
        name: 'DELETE on me',
        method: 'DELETE',
        path: '/v1/auth/me',
        status: 405,
        code: 'method_not_allowed',
        allow: 'HEAD, GET',
      },
      {
        name: 'POST on one key',
        method: 'POST',
        path: '/v1/auth/api-keys/x',
        status: 405,
        code: 'method_not_allowed',
        allow: 'DELETE',
      },
    ];
    for (const { name, method, path, status, code, allow } of paths) {
      it(`${name}: ${status} ${code}`, async () => {
        const answer = await node.request(method, path, { headers: { 'x-api-key': apiKey } });
        expect(answer.status).to.equal(status);
        expect(answer.body.code).to.equal(code);
        expect(answer.body.detail).to.equal(answer.body.msg);
        if (status === 404) expect(answer.body.detail).to.match(/ The documentation is at \/docs\.$/);
        if (allow) expect(answer.headers.get('allow')).to.equal(allow);
      });
    }

    it('500 shows neither the fault nor a stack', async () => {
      const { services } = node;
      const { gateway } = services;
      (services as { gateway: typeof gateway }).gateway = gatewayOf(async () => {
        throw new Error('a fault with a secret in it');
      });
      try {
        const { status, body, text } = await ask({ type: 'openOrders' });
        expect(status).to.equal(500);
        expect(body).to.deep.equal({ detail: 'Internal error.', code: 'internal_error', msg: 'Internal error.' });
        expect(text).to.not.match(/secret|\.ts/);
      } finally {
        (services as { gateway: typeof gateway }).gateway = gateway;
      }
    });
  });

  describe('a body', () => {
    const cases: { name: string; body: string | Uint8Array; headers?: Record<string, string>; status: number }[] = [
      { name: 'nothing', body: '', status: 400 },
      { name: 'half an object', body: '{"type":', status: 400 },
      { name: 'a bare number', body: '1', status: 400 },
      { name: 'a bare text', body: '"allMids"', status: 400 },
      { name: 'null', body: 'null', status: 400 },
      { name: 'a list', body: '[]', status: 400 },
      { name: 'NaN', body: '{"type":"candles","startTime":NaN}', status: 400 },
      { name: '1e400', body: '{"type":"allMids","x":1e400}', status: 400 },
      { name: '-1e400 deep inside', body: '{"type":"allMids","x":[{"y":-1e400}]}', status: 400 },
      { name: 'a negative zero', body: '{"type":"allMids","x":-0}', status: 400 },
      { name: 'a negative zero with decimals', body: '{"type":"allMids","x":-0.0}', status: 400 },
      { name: 'a number of 10,000 digits', body: `{"type":"allMids","x":${'9'.repeat(10_000)}}`, status: 400 },
      { name: '10,000 decimals', body: `{"type":"allMids","x":1.${'0'.repeat(9_999)}1}`, status: 400 },
      {
        name: 'a text of 10,000 digits in a field nobody reads',
        body: `{"type":"allMids","x":"${'9'.repeat(10_000)}"}`,
        status: 200,
      },
      { name: '33 lists in each other', body: `{"type":"allMids","x":${'['.repeat(33)}${']'.repeat(33)}}`, status: 400 },
      { name: '100,000 lists in each other', body: `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, status: 400 },
      { name: '10 lists in each other', body: `{"type":"allMids","x":${'['.repeat(10)}${']'.repeat(10)}}`, status: 200 },
      { name: 'a byte order mark', body: '\uFEFF{"type":"allMids"}', status: 200 },
      { name: 'a prototype', body: '{"type":"allMids","__proto__":{"isAdmin":true}}', status: 400 },
      { name: 'a constructor', body: '{"type":"allMids","constructor":{"prototype":{"isAdmin":true}}}', status: 200 },
      { name: 'an unknown type', body: '{"type":"\u202e🦄"}', status: 400 },
      { name: 'the type as a list', body: '{"type":["allMids"]}', status: 400 },
      { name: 'bytes that are no UTF-8', body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), status: 400 },
      { name: 'a form', body: 'type=allMids', headers: { 'content-type': 'application/x-www-form-urlencoded' }, status: 415 },
      { name: 'text', body: '{"type":"allMids"}', headers: { 'content-type': 'text/plain' }, status: 415 },
      { name: 'a multipart form', body: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' }, status: 415 },
      {
        name: 'JSON with its character set',
        body: '{"type":"allMids"}',
        headers: { 'content-type': 'application/json; charset=UTF-8' },
        status: 200,
      },
      { name: 'an encoding nobody knows', body: '{"type":"allMids"}', headers: { 'content-encoding': 'zzz' }, status: 415 },
      { name: 'gzip', body: gzipSync('{"type":"allMids"}'), headers: { 'content-encoding': 'gzip' }, status: 200 },
      { name: 'broken gzip', body: 'not gzip', headers: { 'content-encoding': 'gzip' }, status: 400 },
      {
        name: '20 MB of zeros in a gzip of 20 kB',
        body: gzipSync(Buffer.alloc(20e6)),
        headers: { 'content-encoding': 'gzip' },
        status: 413,
      },
      { name: '20 MB', body: `{"type":"allMids","x":"${'x'.repeat(20e6)}"}`, status: 413 },
    ];
    for (const { name, body, headers, status } of cases) {
      it(`${name}: ${status}`, async () => {
        for (const path of [INFO, EXCHANGE]) {
          const answer = await node.request('POST', path, {
            body,
            headers: { 'content-type': 'application/json', 'x-api-key': apiKey, ...headers },
          });
          const want = path === EXCHANGE && status === 200 ? 400 : status; // no action in it
          expect(answer.status, `${path} ${answer.text.slice(0, 200)}`).to.equal(want);
          expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
          if (want !== 200) expect(answer.body).to.include.all.keys('detail', 'code', 'msg');
          expect(answer.text).to.not.match(/\.ts|node_modules/);
        }
      });
    }

    it('without a content type is read as JSON, but not from a page: browsers send it to other sites unasked', async () => {
      const body = Buffer.from('{"type":"allMids"}'); // bytes: `fetch` names no type for them
      const send = (headers: Record<string, string>): Promise<Answer> =>
        node.request('POST', INFO, { body, headers: { 'x-api-key': apiKey, ...headers } });
      const read = await send({});
      expect(read.status).to.equal(200);
      expect(read.body).to.have.property('BTC');
      for (const origin of ['https://elsewhere.example', 'null', node.baseUrl]) {
        expect((await send({ origin })).status, origin).to.equal(415);
        expect((await send({ origin, 'content-type': 'application/json' })).status, origin).to.equal(200);
      }
      const login = Buffer.from(toText({ email: 'a@example.com', password: 'a good password' }));
      expect((await node.request('POST', '/v1/auth/login', { body: login })).body.code).to.equal('invalid_credentials');
      expect((await node.request('POST', INFO, { body: Buffer.from('{'), headers: { 'x-api-key': apiKey } })).status).to.equal(
        400,
      );
    });

    it('of 20 MB is refused without a key too, and the connection serves on', async () => {
      const { status } = await node.post(INFO, 'x'.repeat(20e6));
      expect(status).to.equal(401);
      expect((await mids({ 'x-api-key': apiKey })).status).to.equal(200);
    });

    it('without a valid credential may have 16 kB, of which no more is read into memory', async () => {
      const login = (size: number, headers: Record<string, string> = {}): Promise<Answer> =>
        node.post('/v1/auth/login', { email: 'a@example.com', password: 'a good password', x: 'x'.repeat(size) }, headers);
      expect((await login(16_000)).status).to.equal(401);
      expect((await login(17_000)).status).to.equal(413);
      expect((await login(17_000, { 'x-api-key': `pe_${'a'.repeat(32)}` })).status).to.equal(413);
      expect((await login(17_000, { authorization: 'Bearer x.y.z' })).status).to.equal(413);
      expect((await login(17_000, { authorization: `Bearer ${user.token}` })).status).to.equal(401);
      const bomb = await node.request('POST', '/v1/auth/login', {
        body: gzipSync(Buffer.alloc(200_000)),
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      });
      expect(bomb.status).to.equal(413);
    });

    it('of a payment’s webhook may be larger only where it seems to be signed', async () => {
      const path = '/v1/billing/webhooks/stripe';
      const body = { x: 'x'.repeat(20_000) };
      expect((await node.post(path, body)).status).to.equal(413);
      expect((await node.post(path, body, { 'stripe-signature': 't=1,v1=short' })).status).to.equal(413);
    });

    it('is bounded in number too: what one caller lets wait, no other caller feels', async () => {
      const small = await ApiNode.start(stores, {
        env: { PLAN_BASIC_REQUESTS_PER_MINUTE: '100000', REQUEST_BYTES_PER_CALLER: '65536', REQUEST_BYTES: '400000' },
      });
      const sockets: Socket[] = [];
      try {
        const other = await small.createKey(await small.register());
        const { apiKey: key } = await small.createKey(await small.register());
        const { port } = new URL(small.baseUrl);
        const askAs = (apiKeyOf: string): Promise<Answer> =>
          small.post(INFO, { type: 'allMids', x: 'x'.repeat(8000) }, { 'x-api-key': apiKeyOf });
        const isRefused = async (): Promise<boolean> => {
          const { status, body } = await askAs(key);
          if (status === 429) return body.code === 'too_many_bytes';
          const head = `POST ${INFO} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 50000`;
          const socket = connect(Number(port), '127.0.0.1');
          socket.write(`${head}\r\n\r\n${'['.repeat(30_000)}`);
          sockets.push(socket);
          return false;
        };
        await until(isRefused);
        expect((await askAs(other.apiKey)).status).to.equal(200);
        for (const socket of sockets) socket.destroy();
        await until(async () => (await askAs(key)).status === 200);
      } finally {
        for (const socket of sockets) socket.destroy();
        await small.stop();
      }
    });

    it('counts until its request is answered, whether the client has gone or does not read', async () => {
      // So much may be left unread that the connection stays open.
      const small = await ApiNode.start(stores, { env: { REQUEST_BYTES_PER_CALLER: '25000000', REQUEST_BYTES: '100000000' } });
      const sockets: Socket[] = [];
      const send = (bytes: Buffer): Socket => {
        const socket = connect(Number(new URL(small.baseUrl).port), '127.0.0.1').pause();
        socket.on('error', () => undefined);
        sockets.push(socket);
        socket.write(bytes);
        return socket;
      };
      const post = (path: string, body: Buffer | string, headers: string): Buffer => {
        const length = Buffer.byteLength(body);
        const head = `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n\r\n`;
        return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
      };
      try {
        const { apiKey: key } = await small.createKey(await small.register());
        const bomb = gzipSync(JSON.stringify({ email: 'x'.repeat(15_000) }));
        for (let n = 0; n < 40; n++) {
          const socket = send(post('/v1/auth/login', bomb, 'Content-Encoding: gzip'));
          await new Promise((resolve) => setTimeout(resolve, n % 4));
          socket.resetAndDestroy();
        }
        const page = Buffer.from('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n');
        const info = post(INFO, JSON.stringify({ type: 'allMids', x: 'x'.repeat(30_000) }), `X-API-Key: ${key}`);
        send(Buffer.concat([...Array<Buffer>(10).fill(page), info, info]));
        await until(() => small.logLines.filter((line) => line.includes('/info","status":200')).length === 2);
        await until(() => small.held.total === 0);
        expect(small.unread.total, 'what is not read is counted by itself').to.be.above(1000);
      } finally {
        for (const socket of sockets) socket.destroy();
        await small.stop();
      }
    });

    it('of unknown length is refused at the limit', async () => {
      const status = await new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          node.baseUrl + INFO,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'transfer-encoding': 'chunked' },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        request.on('error', reject);
        for (let n = 0; n < 40; n++) request.write('x'.repeat(100_000));
        request.end();
      });
      expect(status).to.equal(413);
    });

    it('is judged at every other endpoint alike', async () => {
      const bodies = [
        '',
        '{',
        '1',
        '[]',
        '{"email":1e400}',
        `{"email":${'['.repeat(40)}${']'.repeat(40)}}`,
        '{"name":-0}',
        '{"__proto__":{}}',
      ];
      for (const path of ['/v1/auth/register', '/v1/auth/login', '/v1/auth/api-keys']) {
        for (const body of bodies) {
          const { status, text } = await node.post(path, body, { authorization: `Bearer ${user.token}` });
          expect(status, `${path} ${body} ${text}`).to.equal(400);
        }
      }
    });
  });

  it('any JSON on any endpoint is answered, and never by a fault of ours', async () => {
    const anyBody = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.record({ type: fc.jsonValue(), coin: fc.jsonValue(), user: fc.jsonValue(), startTime: fc.jsonValue() }).map(toText),
      fc.record({ action: fc.record({ type: fc.jsonValue(), orders: fc.jsonValue() }), nonce: fc.jsonValue() }).map(toText),
      fc.record({ email: fc.jsonValue(), password: fc.jsonValue(), name: fc.jsonValue() }).map(toText),
      fc.string({ unit: 'binary' }),
    );
    const endpoint = fc.constantFrom(INFO, EXCHANGE, '/v1/auth/register', '/v1/auth/login', '/v1/auth/api-keys');
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${user.token}` };
    await fc.assert(
      fc.asyncProperty(endpoint, anyBody, async (path, body) => {
        const { status, body: answer, text } = await node.post(path, body, headers);
        expect(status, `${path} ${text}`).to.be.lessThan(500);
        if (status !== 200) expect(answer).to.include.all.keys('detail', 'code', 'msg');
      }),
      { numRuns: 200 },
    );
  });

  describe('headers', () => {
    it('the limit, on answers of every kind', async () => {
      const answers = await Promise.all([
        mids({ 'x-api-key': apiKey }),
        mids(),
        node.request('GET', '/nowhere'),
        node.request('GET', INFO),
        node.request('GET', '/v1/%zz'),
        node.request('GET', '/health/live'),
        node.request('GET', '/health'),
        node.request('GET', '/metrics'),
        node.request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${user.token}` } }),
        node.post('/v1/auth/login', '{'),
        mids({}, '/v1/exchanges/other/info'),
      ]);
      for (const { headers, status } of answers) {
        for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
          expect(headers.get(name), `${name} on ${status}`).to.match(/^\d+$/);
        }
        // The window is a minute; the node's clock is as exact as Redis's answers came soon.
        const resetInS = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
        expect(resetInS).to.be.within(0, 90);
      }
    });

    it('where market data comes from, on info and exchange', async () => {
      expect((await mids({ 'x-api-key': apiKey })).headers.get('x-market-source')).to.equal('replay');
      expect((await ask({}, EXCHANGE)).headers.get('x-market-source')).to.equal('replay');
    });

    it('a request id: the client’s own, or one of ours', async () => {
      expect((await mids({ 'x-request-id': 'mine-1' })).headers.get('x-request-id')).to.equal('mine-1');
      const [a, b] = [await mids(), await mids({ 'x-request-id': 'not one; really' })];
      expect(a.headers.get('x-request-id')).to.match(/^[\w-]+$/);
      expect(b.headers.get('x-request-id'))
        .to.match(/^[\w-]+$/)
        .and.not.equal(a.headers.get('x-request-id'));
    });

    it('an Idempotency-Key that is none is refused', async () => {
      for (const bad of ['', 'a b', 'x'.repeat(129)]) {
        const { status, body } = await node.post(EXCHANGE, {}, { 'x-api-key': apiKey, 'idempotency-key': bad });
        expect(status).to.equal(400);
        expect(body.code).to.equal('invalid_idempotency_key');
      }
    });
  });

  describe('secrets', () => {
    it('are in no answer and in no log line, whatever is asked', async () => {
      const secrets = [apiKey, user.token, 'a good password', 'pe_wrongWrongWrongWrongWrong'];
      const answers = await Promise.all([
        mids({ 'x-api-key': apiKey }),
        mids({ 'x-api-key': 'pe_wrongWrongWrongWrongWrong' }),
        ...[
          `/v1/exchanges/perpx/key/${apiKey}`,
          `/v1/exchanges/perpx/key/${apiKey}/nowhere`,
          `/v1/exchanges/perpx//key//${apiKey}//nowhere`,
          `/v1/exchanges/other/key/${apiKey}/info`,
          `/v1/exchanges/perpx/key/pe_wrongWrongWrongWrongWrong/info`,
          `/v1/exchanges/perpx/key/${apiKey}/info?apiKey=${apiKey}`,
          `/v1/exchanges/perpx/%6Bey/${apiKey.replace('_', '%5F')}/nowhere`,
          `/v1/exchanges/perpx/key/${apiKey}/%zz`,
          `/v1/auth/${apiKey}`,
          `/${apiKey}`,
        ].map((path) => mids({}, path)),
        node.request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${user.token}x` } }),
        node.post('/v1/auth/login', { email: user.email, password: 'a good password', token: user.token }),
        node.post('/v1/auth/register', { email: user.email, password: 'a good password' }),
        node.post('/v1/auth/login', `{"password":"a good password"`),
        node.request('GET', '/metrics'),
      ]);
      for (const answer of answers) {
        if (answer.body?.access_token) continue; // a login that was right
        for (const secret of secrets) expect(answer.text, answer.text).to.not.include(secret);
      }
      const log = node.logLines.join('\n');
      for (const secret of secrets) expect(log).to.not.include(secret);
      expect(log).to.not.include('$argon2');
      expect(log).to.include(keyId);
    });

    it('are in no metric label: routes are templates', async () => {
      await mids({}, `/v1/exchanges/perpx/key/${apiKey}/info`);
      const text = await node.registry.metrics();
      expect(text).to.include('route="/v1/exchanges/:exchange/info"');
      expect(text).to.not.include('pe_');
    });
  });

  it('answers what is not HTTP', async () => {
    const { port } = new URL(node.baseUrl);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('end', () => resolve(received)).on('error', reject);
    });
    expect(text).to.match(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).to.have.all.keys('detail', 'code', 'msg');
  });

  it('answers requests in flight before it stops', async () => {
    const other = await ApiNode.start(stores);
    const { apiKey: key } = await other.createKey(await other.register());
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const arrived = new Promise<void>((resolve) => {
      const { gateway } = other.services;
      (other.services as { gateway: typeof gateway }).gateway = gatewayOf(async (...command) => {
        resolve();
        await held;
        return gateway.send(...command);
      });
    });
    const answer = other.post(INFO, { type: 'openOrders' }, { 'x-api-key': key });
    await arrived;
    const stopped = other.stop();
    release();
    expect((await answer).status).to.equal(200);
    await stopped;
  });
});
