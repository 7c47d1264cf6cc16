// Access to endpoints below /v1/admin: the test tries every such endpoint of the contract, so it tries a new endpoint, too.
import { expect } from 'chai';
import type { Endpoint } from '../../src/api/contract/endpoint.ts';
import { errorsOf } from '../../src/api/contract/errorResponses.ts';
import { changeRole } from '../../src/operators/acts/changeUser.ts';
import { adminEndpoints } from '../../src/operators/endpoints.ts';
import { OPERATORS } from '../../src/shared/mongo/auditLog.ts';
import { type Answer, ApiNode, type TestUser } from '../support/apiNode.ts';
import { useStores } from '../support/useStores.ts';

const KEYS = '/v1/auth/api-keys';
const CONFIRM = '/v1/admin/confirm';
const PASSWORD = 'a good password';
const MINUTE_MS = 60_000;
const ODD_TEXT = [
  '%00',
  '%F0%9F%92%A9',
  '..%2f..',
  '__proto__',
  '9'.repeat(500),
  '%ff',
  "'",
  '%7B%22%24gt%22%3A%22%22%7D',
  '%20',
  '[]',
];
const ODD_BODIES = [
  ...['null', '[]', '{}', '"text"', '{"$gt":""}', '{"plan":{"$ne":null},"days":{"$gt":0}}', '{"plan":"pro","days":1e9}'],
  ...['{"plan":"pro","days":"30"}', '{"plan":"constructor","days":1}', '{"password":{"$ne":""}}', '{"password":"\\u0000"}'],
  ...['{"code":"💩","kind":"percent","value":"10","uses_max":1}', '{"code":"A","kind":"percent","value":"1e2","uses_max":1}'],
  ...['{"code":"A","kind":"percent","value":"-1","uses_max":1}', '{"code":"A","kind":"amount","value":"NaN","uses_max":1}'],
  ...[
    '{"code":"A","kind":"percent","value":"10","uses_max":1e9}',
    '{"code":{"$gt":""},"kind":"percent","value":"1","uses_max":1}',
  ],
  ...[
    '{"code":"A","kind":"percent","value":"101","uses_max":1}',
    '{"__proto__":{"roles":["operator"]}}',
    `"${'ﷺ'.repeat(3000)}"`,
  ],
  ...['{"code":"A","kind":"percent","value":"10","uses_max":1,"expires_at":"soon"}', `${'['.repeat(500)}${']'.repeat(500)}`],
];

describe('/v1/admin: who may ask', function () {
  this.timeout(600_000);
  const stores = useStores();
  let node: ApiNode;
  let operator: TestUser;
  let user: TestUser;
  let offsetMs = 0;

  before(async () => {
    const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '1000000', ANONYMOUS_REQUESTS_PER_MINUTE: '1000000', SHARDS: '2' };
    node = await ApiNode.start(stores, { env, now: () => Date.now() + offsetMs });
  });
  beforeEach(async () => {
    offsetMs = 0;
    [operator, user] = [await node.register(), await node.register()];
    await setRole(operator, true);
  });
  after(() => node.stop());

  const setRole = ({ id }: TestUser, isGranted: boolean) =>
    changeRole({ billing: node.billing, redis: node.redis, mongo: node.mongo }, { name: id, role: 'operator', isGranted });
  const bearer = ({ token }: TestUser): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const pathOf = ({ path }: Endpoint, target: string): string => path.replace(/:\w+/, target);
  const ask = (
    endpoint: Endpoint,
    headers: Record<string, string>,
    odd: { target?: string; query?: string; body?: string } = {},
  ) => {
    const { target = user.id, query = '', body } = odd;
    const given = endpoint.body === undefined ? undefined : (body ?? JSON.stringify(Object.values(endpoint.body.examples)[0]));
    const type = given === undefined ? {} : { 'content-type': 'application/json' };
    return node.request(endpoint.method.toUpperCase(), pathOf(endpoint, target) + query, {
      headers: { ...headers, ...type },
      ...(given !== undefined && { body: given }),
    });
  };
  const confirm = (who: TestUser, body: object = { password: PASSWORD }): Promise<Answer> =>
    node.post(CONFIRM, body, bearer(who));
  const codes = async (headers: Record<string, string>): Promise<string[]> => {
    const found = new Set<string>();
    for (const endpoint of adminEndpoints) {
      const { status, body } = await ask(endpoint, headers);
      found.add(`${status} ${body.code}`);
    }
    return [...found].sort();
  };
  const rows = () => node.billing.audit.page(OPERATORS, { limit: 500 });
  const keyWith = async (scopes: string[], who = operator): Promise<Answer> =>
    node.post(KEYS, { name: 'watch', scopes }, bearer(who));

  it('has endpoints that look and endpoints that act, each with a tag, a credential and the refusal of the role', () => {
    expect(adminEndpoints.length).to.be.above(15);
    for (const endpoint of adminEndpoints) {
      const { id, tag, credential, path } = endpoint;
      expect([tag, path.startsWith('/v1/admin/')], id).to.deep.equal(['Operators', true]);
      expect(errorsOf(endpoint)[403], id).to.include('not_operator');
      expect(credential, id).to.equal(id === 'confirmOperator' ? 'token' : 'either');
    }
  });

  it('nothing is answered without a credential, for a cookie, or to a user without the role; what is asked for makes no difference', async () => {
    expect(await codes({})).to.deep.equal(['401 invalid_credential', '401 invalid_token']);
    expect(await codes({ cookie: 'refresh=ses_1.1.x', 'x-requested-with': 'dashboard' })).to.deep.equal([
      '401 invalid_credential',
      '401 invalid_token',
    ]);
    expect(await codes(bearer(user))).to.deep.equal(['403 not_operator']);
    const [known, unknown] = [
      await ask(showUser(), bearer(user), { target: operator.id }),
      await ask(showUser(), bearer(user), { target: 'x' }),
    ];
    expect(known.body).to.deep.equal(unknown.body);
    expect((await rows()).filter(({ actor }) => actor.includes(user.id))).to.deep.equal([]);
  });

  const showUser = (): Endpoint => adminEndpoints.find(({ id }) => id === 'showUser') as Endpoint;

  it('an ordinary key of an operator, with a list of scopes or without, does nothing here', async () => {
    const { apiKey } = await node.createKey(operator);
    const ofConfirm = adminEndpoints.filter(({ credential }) => credential === 'either');
    for (const endpoint of ofConfirm) {
      const { status, body } = await ask(endpoint, { 'x-api-key': apiKey });
      expect(`${status} ${body.code}`, endpoint.id).to.equal('403 insufficient_scope');
    }
    const { apiKey: strangers } = await node.createKey(user);
    expect((await ask(showUser(), { 'x-api-key': strangers })).body.code).to.equal('insufficient_scope');
  });

  it('a role that is taken away ends with the request before, for a live token and for a key', async () => {
    await confirm(operator);
    const { body: key } = await keyWith(['admin:read', 'admin:write']);
    for (const headers of [bearer(operator), { 'x-api-key': key.api_key }]) {
      expect((await ask(showUser(), headers)).status).to.equal(200);
    }
    await setRole(operator, false);
    expect(await codes(bearer(operator))).to.deep.equal(['403 not_operator']);
    for (const endpoint of adminEndpoints.filter(({ credential }) => credential === 'either')) {
      expect((await ask(endpoint, { 'x-api-key': key.api_key })).body.code, endpoint.id).to.equal('not_operator');
    }
    expect((await node.request('GET', '/v1/auth/me', { headers: bearer(operator) })).body.roles).to.deep.equal([]);
  });

  it('a token is enough to look; every act asks for the password first, which holds for 15 minutes', async () => {
    const acts = adminEndpoints.filter(({ method, credential }) => method === 'post' && credential === 'either');
    for (const endpoint of acts) {
      const { status, body } = await ask(endpoint, bearer(operator));
      expect(`${status} ${body.code}`, endpoint.id).to.equal('403 confirmation_required');
    }
    expect((await confirm(operator, { password: 'another password' })).body.code).to.equal('invalid_credentials');
    expect((await ask(acts[0] as Endpoint, bearer(operator))).body.code).to.equal('confirmation_required');
    const { status, body } = await confirm(operator);
    expect(status).to.equal(200);
    expect(Date.parse(body.confirmed_until) - Date.now()).to.be.within(10 * MINUTE_MS, 15 * MINUTE_MS);
    expect((await ask(acts[0] as Endpoint, bearer(operator))).status).to.equal(200);
    offsetMs = 15 * MINUTE_MS + 1;
    expect((await ask(acts[0] as Endpoint, bearer(operator))).body.code).to.equal('confirmation_required');
  });

  it('another session of the same operator has to confirm by itself', async () => {
    await confirm(operator);
    const { body } = await node.post('/v1/auth/login', { email: operator.email, password: PASSWORD });
    const answer = await ask(
      adminEndpoints.find(({ id }) => id === 'grantPlan') as Endpoint,
      bearer({ ...operator, token: body.access_token }),
    );
    expect(answer.body.code).to.equal('confirmation_required');
  });

  it('only an operator who has confirmed gives a key scopes of operators, makes it anew or changes it', async () => {
    expect((await keyWith(['admin:read'], user)).body.code).to.equal('not_operator');
    expect((await keyWith(['admin:read'])).body.code).to.equal('confirmation_required');
    const { id: own } = await node.createKey(operator);
    const change = (id: string, body: object) => node.post(`${KEYS}/${id}/change`, body, bearer(operator));
    expect((await change(own, { scopes: ['read', 'admin:write'] })).body.code).to.equal('confirmation_required');
    await confirm(operator);
    const { body: key } = await keyWith(['admin:read']);
    expect(key.scopes).to.deep.equal(['admin:read']);
    offsetMs = 16 * MINUTE_MS;
    expect((await node.post(`${KEYS}/${key.id}/rotate`, {}, bearer(operator))).body.code).to.equal('confirmation_required');
    expect((await change(key.id, { name: 'other' })).body.code).to.equal('confirmation_required');
    expect((await change(key.id, { scopes: null })).body.scopes).to.deep.equal(['read', 'trade']);
    expect((await ask(showUser(), { 'x-api-key': key.api_key })).body.code).to.equal('insufficient_scope');
  });

  it('a key that may look may not act; one that may act needs no confirmation, and cannot give itself one', async () => {
    await confirm(operator);
    const [looking, acting] = [(await keyWith(['admin:read'])).body.api_key, (await keyWith(['admin:write'])).body.api_key];
    offsetMs = 16 * MINUTE_MS;
    for (const endpoint of adminEndpoints.filter(({ credential }) => credential === 'either')) {
      const isLook = endpoint.method === 'get';
      const refused = (await ask(endpoint, { 'x-api-key': isLook ? acting : looking })).body.code;
      expect(refused, endpoint.id).to.equal('insufficient_scope');
      expect((await ask(endpoint, { 'x-api-key': isLook ? looking : acting })).status, endpoint.id).to.not.equal(403);
    }
    expect((await node.post(CONFIRM, { password: PASSWORD }, { 'x-api-key': acting })).body.code).to.equal('invalid_token');
    expect((await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': acting })).body.code).to.equal(
      'insufficient_scope',
    );
  });

  it('a body that is too large or too deep is refused unread', async () => {
    await confirm(operator);
    const large = JSON.stringify({ text: 'a'.repeat(1_048_576) });
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    for (const endpoint of adminEndpoints.filter(({ body }) => body !== undefined)) {
      expect((await ask(endpoint, bearer(operator), { body: large })).status, endpoint.id).to.equal(413);
      expect((await ask(endpoint, bearer(operator), { body: deep })).body.code, endpoint.id).to.equal('body_too_deep');
    }
  });

  it('odd paths, queries and bodies get a clear refusal, and change nothing', async () => {
    await confirm(operator);
    const state = async () => {
      const { db } = node.mongo;
      return [await db.collection('users').find().toArray(), await db.collection('discounts').countDocuments()];
    };
    const before = await state();
    for (const endpoint of adminEndpoints) {
      const isAct = endpoint.method === 'post';
      const odd = [
        ...(endpoint.path.includes(':') ? ODD_TEXT.map((target) => ({ target })) : []),
        ...(endpoint.query === undefined ? [] : Object.keys(endpoint.query.properties)).flatMap((name) => [
          ...ODD_TEXT.map((value) => ({ query: `?${name}=${value}` })),
          { query: `?${name}=a&${name}=b` },
          { query: `?${name}[$gt]=` },
        ]),
        ...(endpoint.body === undefined ? [] : ODD_BODIES.map((body) => ({ body }))),
      ];
      for (const one of odd) {
        const { status, text, body } = await ask(endpoint, bearer(operator), one);
        const where = `${endpoint.id} ${JSON.stringify(one).slice(0, 90)} -> ${status} ${text.slice(0, 120)}`;
        expect(status, where).to.be.within(isAct ? 400 : 200, 499);
        if (status >= 400) expect(body, where).to.include.all.keys('code', 'detail');
      }
    }
    expect(await state()).to.deep.equal(before);
  });
});
