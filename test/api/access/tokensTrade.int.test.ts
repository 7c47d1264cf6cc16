import { expect } from 'chai';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { orderAction } from '../../support/orderWire.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const INFO = '/v1/exchanges/perpx/info';
const EXCHANGE = '/v1/exchanges/perpx/exchange';
const DAY_MS = 86_400_000;

describe('info and exchange with an access token, where no key came along', () => {
  const stores = useStores();
  let node: ApiNode;
  let other: ApiNode;
  let clockOffsetMs = 0;

  before(async () => {
    const now = (): number => Date.now() + clockOffsetMs;
    [node, other] = [await ApiNode.start(stores, { now }), await ApiNode.start(stores, { now })];
  });
  afterEach(() => {
    clockOffsetMs = 0;
  });
  after(() => Promise.all([node.stop(), other.stop()]));

  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const state = (headers: Record<string, string>, at = node): Promise<Answer> =>
    at.post(INFO, { type: 'clearinghouseState' }, headers);
  const leftOf = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'));
  const failure = ({ status, body }: Answer): unknown => [status, body.code];

  it('asks and trades for the token’s user, and tells the entry that an answer shows', async () => {
    const { token } = await node.register();
    const before = await state(bearer(token));
    expect(before.status, before.text).to.equal(200);
    expect(Number(before.headers.get('x-account-seq'))).to.be.at.least(1);
    const action = { type: 'updateLeverage', asset: 0, isCross: true, leverage: 7 };
    const set = await node.post(EXCHANGE, { action }, { ...bearer(token), 'idempotency-key': 'once' });
    expect(set.body).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    const order = orderAction(0, { px: '50000', sz: '0.001' });
    expect((await node.post(EXCHANGE, { action: order }, bearer(token))).body.status).to.equal('ok');
    expect(Number((await state(bearer(token))).headers.get('x-account-seq'))).to.be.greaterThan(
      Number(before.headers.get('x-account-seq')),
    );
  });

  it('counts on the user’s tokens, and takes nothing from a key', async () => {
    const user = await node.register();
    const { apiKey } = await node.createKey(user);
    const key = { 'x-api-key': apiKey };
    const keyBefore = leftOf(await state(key));
    const first = leftOf(await state(bearer(user.token)));
    const second = leftOf(await node.post(EXCHANGE, { action: { type: 'cancel', cancels: [] } }, bearer(user.token)));
    expect(second).to.equal(first - 1);
    expect(leftOf(await node.request('GET', '/v1/auth/me', { headers: bearer(user.token) }))).to.equal(second - 1);
    expect(leftOf(await state(key))).to.equal(keyBefore - 1);
    expect(leftOf(await state({ ...key, ...bearer(user.token) })), 'with both the key counts').to.equal(keyBefore - 2);
  });

  it('without a credential, with a key that is none, or a token that is none, it is 401', async () => {
    const { token } = await node.register();
    expect(failure(await state({}))).to.deep.equal([401, 'invalid_api_key']);
    expect(failure(await state({ 'x-api-key': 'pe_none', ...bearer(token) }))).to.deep.equal([401, 'invalid_credential']);
    for (const bad of [`${token}x`, 'none', token.split('.').slice(0, 2).join('.')])
      expect(failure(await state(bearer(bad))), bad).to.deep.equal([401, 'invalid_credential']);
    expect(failure(await state({ cookie: `refresh-3000=${token}; token=${token}` }))).to.deep.equal([401, 'invalid_api_key']);
  });

  it('ends with its session, on every node within a second', async () => {
    const user: TestUser = await node.register();
    for (const at of [node, other]) expect((await state(bearer(user.token), at)).status).to.equal(200);
    await node.post('/v1/auth/logout', {}, bearer(user.token));
    expect(failure(await state(bearer(user.token)))).to.deep.equal([401, 'invalid_credential']);
    await until(async () => (await state(bearer(user.token), other)).status === 401);
  });

  it('is refused like a key when the trial is over, and goes on with the payment', async () => {
    const user = await node.register();
    expect((await state(bearer(user.token))).status).to.equal(200);
    clockOffsetMs = 8 * DAY_MS;
    expect(failure(await state(bearer(user.token)))).to.deep.equal([403, 'trial_expired']);
    const dry = { action: orderAction(0, { px: '50000', sz: '0.001' }), dryRun: true };
    expect(failure(await node.post(EXCHANGE, dry, bearer(user.token)))).to.deep.equal([403, 'trial_expired']);
    expect((await node.request('GET', '/v1/exchanges/perpx/account/overview', { headers: bearer(user.token) })).status).to.equal(
      200,
    );
  });
});
