import { expect } from 'chai';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const ORIGIN = 'http://127.0.0.1:3000';
const OURS = { origin: ORIGIN, 'x-requested-with': 'dashboard', 'sec-fetch-site': 'same-origin' };
const JWT_SECRET = 'a secret for this test and long enough';
const NEXT_SECRET = 'the next secret for this test and long enough';
const [SECOND_MS, HOUR_MS] = [1000, 3_600_000];
const BEFORE_MS = 30 * SECOND_MS;

/** The cookies of a browser after an answer. */
interface Browser {
  readonly cookie: string;
  readonly token: string;
}

describe('auth: sessions of browsers, by a cookie', () => {
  const stores = useStores();
  let node: ApiNode;
  let other: ApiNode;
  let clockOffsetMs = 0;
  const started: ApiNode[] = [];
  const start = async (env: Record<string, string> = {}): Promise<ApiNode> => {
    const now = (): number => Date.now() + clockOffsetMs;
    const one = await ApiNode.start(stores, { env: { JWT_SECRET, ANONYMOUS_REQUESTS_PER_MINUTE: '1000000', ...env }, now });
    started.push(one);
    return one;
  };

  before(async () => {
    [node, other] = [await start(), await start()];
  });
  afterEach(() => {
    clockOffsetMs = 0;
  });
  after(() => Promise.all(started.map((one) => one.stop())));

  const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';')[0] ?? '';
  const ask = (method: string, path: string, { cookie = '', at = node, headers = OURS as Record<string, string>, body = '' }) =>
    at.request(method, path, {
      headers: { ...headers, ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
    });
  const open = (email: string, more: { cookie?: string; at?: ApiNode; headers?: Record<string, string> } = {}): Promise<Answer> =>
    ask('POST', '/v1/auth/session', { ...more, body: JSON.stringify({ email, password: PASSWORD }) });
  const refresh = (cookie: string, at = node): Promise<Answer> => ask('POST', '/v1/auth/session/refresh', { cookie, at });
  const logOut = (cookie: string, at = node): Promise<Answer> => ask('DELETE', '/v1/auth/session', { cookie, at });
  const loggedIn = async (email: string, more: { cookie?: string; at?: ApiNode } = {}): Promise<Browser> =>
    browser(await open(email, more));
  const browser = (answer: Answer): Browser => {
    expect(answer.status, answer.text).to.equal(200);
    return { cookie: cookieOf(answer), token: answer.body.access_token };
  };
  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const me = (token: string, at = node): Promise<Answer> => at.request('GET', '/v1/auth/me', { headers: bearer(token) });
  const isOver = async ({ token, cookie }: Browser): Promise<void> => {
    for (const at of [node, other]) {
      await until(async () => (await me(token, at)).status === 401);
      expect((await refresh(cookie, at)).body.code).to.equal('invalid_session');
    }
  };
  const goesOn = async ({ token, cookie }: Browser): Promise<Browser> => {
    expect((await me(token)).status).to.equal(200);
    return browser(await refresh(cookie));
  };
  const sessionsOf = ({ id: userId }: TestUser) => node.mongo.db.collection('sessions').find({ userId }).toArray();
  const actsOf = async ({ id }: TestUser): Promise<string[]> =>
    (await node.mongo.db.collection('audit').find({ userId: id }).sort({ _id: 1 }).toArray()).map(({ action }) => String(action));
  const numberIn = (cookie: string): number => Number(cookie.split('.')[1]);

  it('logs in for minutes, is refreshed by a cookie that only its endpoints get, and logs out', async () => {
    const { email } = await node.register();
    const answer = await open(email);
    const [, value, ...flags] = /^refresh-3000=([^;]+); (.*)$/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
    expect(value).to.match(/^ses_[0-9a-f]{24}\.1\.[\w-]{43}$/);
    expect(flags).to.deep.equal(['HttpOnly; SameSite=Strict; Path=/v1/auth/session; Max-Age=2592000']);
    expect(answer.body).to.include({ expires_in: 900, token_type: 'bearer' }).and.include.keys('device_token', 'user');
    const first = browser(answer);
    const { exp, iat } = JSON.parse(Buffer.from(first.token.split('.')[1] ?? '', 'base64url').toString());
    expect(exp - iat).to.equal(900);

    const second = browser(await refresh(first.cookie, other));
    expect(numberIn(second.cookie)).to.equal(2);
    for (const { token } of [first, second]) expect((await me(token, other)).body.email).to.equal(email);
    const { body } = await node.request('GET', '/v1/auth/sessions', { headers: bearer(second.token) });
    expect(body.sessions.at(-1)).to.include({ current: true, id: value?.split('.')[0] });
    expect(Date.parse(body.sessions.at(-1).expires_at) - Date.now()).to.be.greaterThan(29 * 24 * HOUR_MS);

    const ended = await logOut(second.cookie);
    expect(ended.headers.get('set-cookie')).to.match(/^refresh-3000=; .*Max-Age=0$/);
    for (const each of [first, second]) await isOver(each);
    expect((await logOut(second.cookie)).status).to.equal(401);
  });

  it('by https has a cookie that only https may set and carry', async () => {
    const at = await start({
      PUBLIC_URL: 'https://paper.example.com',
      DEPLOYMENT_SECRET: 'another secret for this test and long enough',
      ALLOW_TEST_PAYMENTS: 'yes',
    });
    const { email } = await node.register();
    const headers = { ...OURS, origin: 'https://paper.example.com' };
    const answer = await open(email, { at, headers });
    expect(answer.headers.get('set-cookie')).to.match(/^__Secure-refresh=ses_[^;]+; HttpOnly; Secure; SameSite=Strict; Path=/);
    expect((await ask('POST', '/v1/auth/session/refresh', { cookie: cookieOf(answer), at, headers })).status).to.equal(200);
    for (const origin of [ORIGIN, 'http://paper.example.com', 'https://paper.example.com:8443', 'https://x.paper.example.com'])
      expect((await open(email, { at, headers: { ...OURS, origin } })).body.code, origin).to.equal('cross_site');
  });

  describe('pages of other sites', () => {
    const { origin: _origin, ...absent } = OURS;
    const { 'x-requested-with': _said, ...silent } = OURS;
    const { 'sec-fetch-site': _site, ...old } = OURS;
    const refused: Readonly<Record<string, Record<string, string>>> = {
      'another origin': { ...OURS, origin: 'https://evil.example' },
      'another port of the machine': { ...OURS, origin: 'http://127.0.0.1:3001' },
      'another name that ends like ours': { ...old, origin: 'http://evil-127.0.0.1:3000' },
      'the origin null': { ...OURS, origin: 'null' },
      'two origins': { ...OURS, origin: `${ORIGIN}, https://evil.example` },
      'ours, when the browser says cross-site': { ...OURS, 'sec-fetch-site': 'cross-site' },
      'ours, when the browser says same-site': { ...OURS, 'sec-fetch-site': 'same-site' },
      'no origin and nothing said of the site': { 'x-requested-with': 'dashboard' },
      'no origin, typed into the address line': { 'x-requested-with': 'dashboard', 'sec-fetch-site': 'none' },
      'ours without the header of our pages': silent,
      'ours with another header': { ...OURS, 'x-requested-with': 'XMLHttpRequest' },
    };
    for (const [name, headers] of Object.entries(refused)) {
      it(`${name}: 403 at each endpoint, and nothing is done`, async () => {
        const user = await node.register();
        const own = await loggedIn(user.email);
        for (const method of ['POST', 'DELETE']) {
          const path = '/v1/auth/session';
          const body = method === 'POST' ? JSON.stringify({ email: user.email, password: PASSWORD }) : '';
          for (const [at, sent] of [
            [path, body],
            [`${path}/refresh`, ''],
          ] as const) {
            if (method === 'DELETE' && at !== path) continue;
            const answer = await ask(method, at, { cookie: own.cookie, headers, body: sent });
            expect([answer.status, answer.body.code]).to.deep.equal([403, 'cross_site']);
            expect(answer.headers.get('set-cookie')).to.equal(null);
          }
        }
        expect(await sessionsOf(user)).to.have.length(2);
        expect(numberIn((await goesOn(own)).cookie)).to.equal(2);
      });
    }

    const taken: Readonly<Record<string, Record<string, string>>> = {
      'the machine by its other names': { ...OURS, origin: 'http://localhost:3000' },
      'the machine by IPv6': { ...OURS, origin: 'http://[::1]:3000' },
      'no origin, where the browser says same-origin': absent,
      'a browser that says nothing of the site': old,
    };
    for (const [name, headers] of Object.entries(taken)) {
      it(`our own: ${name}`, async () => {
        const { email } = await node.register();
        expect((await open(email, { headers })).status).to.equal(200);
      });
    }

    it('get no header of CORS there, and no preflight is granted, whatever CORS_ORIGINS says', async () => {
      const at = await start({ CORS_ORIGINS: '*' });
      const headers = {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-requested-with',
      };
      for (const [method, path] of [
        ['OPTIONS', '/v1/auth/session/refresh'],
        ['OPTIONS', '/v1/auth/session'],
        ['POST', '/v1/auth/session/'],
      ] as const) {
        const answer = await ask(method, path, { at, headers });
        expect(answer.status).to.be.within(400, 499);
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
      }
      const elsewhere = await ask('OPTIONS', '/v1/auth/sessions', { at, headers });
      expect(elsewhere.headers.get('access-control-allow-origin')).to.equal('*');
    });
  });

  describe('one cookie, shown twice', () => {
    it('by tabs that refresh at once, at two nodes: each gets the same next value', async () => {
      const { cookie } = await loggedIn((await node.register()).email);
      const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => refresh(cookie, i % 2 ? node : other)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const values = new Set(answers.map(cookieOf));
      expect([...values].map(numberIn)).to.deep.equal([2]);
      for (const answer of answers) await goesOn(browser(answer));
    });

    it('after a lost answer: for 30 seconds the one before gives the newest again', async () => {
      const user = await node.register();
      const lost = await loggedIn(user.email);
      const newest = cookieOf(await refresh(lost.cookie));
      clockOffsetMs += BEFORE_MS - SECOND_MS;
      expect(cookieOf(await refresh(lost.cookie, other))).to.equal(newest);
      clockOffsetMs += 2 * SECOND_MS;
      expect((await refresh(lost.cookie)).body.code).to.equal('invalid_session');
      await isOver({ ...lost, cookie: newest });
    });

    it('by its user and, later, by a thief: the session ends everywhere, with a row in the audit log', async () => {
      const user = await node.register();
      const stolen = await loggedIn(user.email);
      const next = browser(await refresh(stolen.cookie));
      const newest = browser(await refresh(next.cookie));
      expect((await refresh(stolen.cookie, other)).body.code).to.equal('invalid_session');
      for (const each of [stolen, next, newest]) await isOver(each);
      expect(await actsOf(user)).to.include('session.reused');
      expect((await me(user.token)).status, 'the user’s other sessions go on').to.equal(200);
    });
  });

  it('a cookie that was not made here is refused, and ends nothing', async () => {
    const [one, two] = [await node.register(), await node.register()];
    const [own, theirs] = [await loggedIn(one.email), await loggedIn(two.email)];
    const [name = '', value = ''] = own.cookie.split('=');
    const [id = '', , signature = ''] = value.split('.');
    const [theirId = ''] = theirs.cookie.slice(name.length + 1).split('.');
    const bad = [
      ...[`${id}.2.${signature}`, `${theirId}.1.${signature}`, `${id}.1.${'A'.repeat(43)}`, `${id}.01.${signature}`],
      ...[`${id}.0.${signature}`, `${id}.-1.${signature}`, `${id}.1e3.${signature}`, `${id}.9999999999.${signature}`],
      ...['', ' ', '..', `${value}.`, `"${value}"`, value.toUpperCase(), `ses_${'0'.repeat(24)}.1.${signature}`],
      ...['%00', '{"$gt":""}', '__proto__', 'é', 'x'.repeat(8000), `${value}; ${name}=${value}`, `x; ${name}=${theirs.cookie}`],
    ];
    for (const text of bad) {
      const cookie = `${name}=${text}`;
      for (const answer of [await refresh(cookie), await logOut(cookie)])
        expect([answer.status, answer.body.code], cookie.slice(0, 80)).to.deep.equal([401, 'invalid_session']);
    }
    expect((await refresh(`a=b; ${'c=d; '.repeat(500)}${own.cookie}; e`)).status, 'beside others').to.equal(200);
    await goesOn(theirs);
    expect(await actsOf(two)).to.not.include('session.reused');
  });

  it('of a login that comes with a cookie the session is new, and the cookie’s own ends: none can be planted', async () => {
    const [thief, user] = [await node.register(), await node.register()];
    const planted = await loggedIn(thief.email);
    const own = await loggedIn(user.email, { cookie: planted.cookie, at: other });
    expect(own.cookie.split('.')[0]).to.not.equal(planted.cookie.split('.')[0]);
    await isOver(planted);
    await goesOn(own);
    // A wrong password ends nothing.
    const body = JSON.stringify({ email: thief.email, password: 'a bad password' });
    expect((await ask('POST', '/v1/auth/session', { cookie: own.cookie, body })).body.code).to.equal('invalid_credentials');
    expect((await me(own.token)).status).to.equal(200);
  });

  it('the session of another user is none of one’s own', async () => {
    const [one, two] = [await node.register(), await node.register()];
    const [own, theirs] = [await loggedIn(one.email), await loggedIn(two.email)];
    const [id] = theirs.cookie.slice('refresh-3000='.length).split('.');
    const answer = await node.request('DELETE', `/v1/auth/sessions/${id}`, { headers: bearer(own.token) });
    expect([answer.status, answer.body.code]).to.deep.equal([404, 'unknown_session']);
    await goesOn(theirs);
  });

  it('a new password ends all but the own, whose cookie goes on; a session that is ended is over with its cookie', async () => {
    const user = await node.register();
    const [own, away] = [await loggedIn(user.email), await loggedIn(user.email, { at: other })];
    const change = { current_password: PASSWORD, new_password: 'a better password' };
    const { body } = await node.post('/v1/auth/change-password', change, bearer(own.token));
    const { exp, iat } = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    expect(exp - iat).to.equal(900);
    await isOver(away);
    const next = await goesOn(own);
    const [id] = next.cookie.slice('refresh-3000='.length).split('.');
    await node.request('DELETE', `/v1/auth/sessions/${id}`, { headers: bearer(next.token) });
    await isOver(next);
  });

  it('that a node has left behind, which died after it had ended all of a user, is over: 401, and no waiting for ever', async () => {
    const user = await node.register();
    const left = await loggedIn(user.email);
    // The first of the two writes.
    await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $inc: { tokenGeneration: 1 } });
    for (const at of [node, other]) expect((await refresh(left.cookie, at)).body.code).to.equal('invalid_session');
    await goesOn(await loggedIn(user.email));
  });

  it('is not refreshed by its tokens: who has one does not make it last', async () => {
    const { token } = await loggedIn((await node.register()).email);
    const { status, body } = await node.post('/v1/auth/refresh', {}, bearer(token));
    expect([status, body.code]).to.deep.equal([409, 'refreshed_by_cookie']);
  });

  it('ends when it is not used for SESSION_IDLE_MINUTES, and SESSION_MAX_HOURS after the login', async () => {
    const at = await start({ SESSION_IDLE_MINUTES: '60', SESSION_MAX_HOURS: '2' });
    const { email } = await node.register();
    const [used, unused] = [await loggedIn(email, { at }), await loggedIn(email, { at })];
    clockOffsetMs = 0.9 * HOUR_MS;
    const later = browser(await refresh(used.cookie, at));
    clockOffsetMs = 1.7 * HOUR_MS;
    expect((await refresh(unused.cookie, at)).status).to.equal(401);
    const last = await refresh(later.cookie, at);
    expect(Number(/Max-Age=(\d+)/.exec(last.headers.get('set-cookie') ?? '')?.[1])).to.be.within(1000, 1090);
    clockOffsetMs = 2.01 * HOUR_MS;
    expect((await refresh(cookieOf(last), at)).status).to.equal(401);
  });

  it('goes on when the signing key changes, and ends with the key that signed it', async () => {
    const { email } = await node.register();
    const [kept, left] = [await loggedIn(email), await loggedIn(email)];
    const both = await start({ JWT_SECRET: NEXT_SECRET, JWT_SECRETS_OLD: JWT_SECRET });
    const next = await start({ JWT_SECRET: NEXT_SECRET });
    const renewed = browser(await refresh(kept.cookie, both));
    expect((await refresh(renewed.cookie, next)).status).to.equal(200);
    expect((await refresh(left.cookie, next)).status).to.equal(401);
  });

  it('is tried no more often than a login', async () => {
    const at = await start({ AUTH_LOGIN_PER_MINUTE: '3', AUTH_ADDRESS_LOGINS_PER_MINUTE: '5', PROXY_HOPS: '1' });
    const { email } = await node.register();
    const tries = async (method: string, path: string, count: number, body = ''): Promise<number[]> => {
      const statuses: number[] = [];
      for (let n = 0; n < count; n++) {
        const headers = { ...OURS, 'x-forwarded-for': '198.51.100.7' };
        statuses.push((await ask(method, path, { at, headers, cookie: 'refresh-3000=x', body })).status);
      }
      return statuses;
    };
    const guess = JSON.stringify({ email, password: 'a bad password' });
    expect(await tries('POST', '/v1/auth/session', 4, guess)).to.deep.equal([401, 401, 401, 429]);
    expect(await tries('POST', '/v1/auth/session/refresh', 4)).to.deep.equal([401, 401, 401, 401]);
    expect(await tries('DELETE', '/v1/auth/session', 2)).to.deep.equal([401, 429]);
  });
});
