import { expect } from 'chai';
import { announceUserChange } from '../../../src/shared/access/userChange.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const WS = '/v1/exchanges/perpx/ws';
const PASSWORD = 'a good password';
const OURS = { origin: 'http://127.0.0.1:3000', 'x-requested-with': 'dashboard' };
const DAY_MS = 86_400_000;
const TOKEN_SECONDS = 45;

describe('a WebSocket by an access token, as pages open it', () => {
  const stores = useStores();
  let node: ApiNode;
  let other: ApiNode;
  let clockOffsetMs = 0;
  const clients: StreamClient[] = [];

  before(async () => {
    const life = { JWT_TTL_SECONDS: String(TOKEN_SECONDS), SESSION_TOKEN_SECONDS: String(TOKEN_SECONDS) };
    const options = { env: { PLAN_BASIC_SOCKETS: '3', ...life }, now: () => Date.now() + clockOffsetMs };
    [node, other] = [await ApiNode.start(stores, options), await ApiNode.start(stores, options)];
  });
  afterEach(async () => {
    clockOffsetMs = 0;
    await Promise.all(clients.splice(0).map((client) => client.stop()));
  });
  after(async () => {
    // Each searches its log for tokens.
    await Promise.all([node.stop(), other.stop()]);
  });

  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const open = async (token: string, at = node, protocols = ['perpx.v1', `bearer.${token}`]): Promise<StreamClient> => {
    const client = await StreamClient.connect(at.baseUrl, { path: WS, protocols });
    clients.push(client);
    return client;
  };
  const lives = async (client: StreamClient): Promise<void> => {
    client.send({ method: 'ping' });
    expect((await client.next('pong')).channel).to.equal('pong');
  };
  const refusal = (token: string, protocols?: string[]): Promise<string> =>
    open(token, node, protocols).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  const logIn = (email: string): Promise<Answer> => node.post('/v1/auth/session', { email, password: PASSWORD }, OURS);
  const closedWith = async (client: StreamClient): Promise<number | undefined> => {
    await until(() => client.closed !== undefined);
    return client.closed?.code;
  };

  it('has the protocol chosen, its user’s private channels and posts, and takes nothing from a key', async () => {
    const user = await node.register();
    const { apiKey } = await node.createKey(user);
    const left = async (): Promise<number> =>
      Number(
        (await node.post('/v1/exchanges/perpx/info', { type: 'meta' }, { 'x-api-key': apiKey })).headers.get(
          'x-ratelimit-remaining',
        ),
      );
    const before = await left();
    const client = await open(user.token);
    expect(client.socket.protocol).to.equal('perpx.v1');
    client.subscribe({ type: 'orderUpdates' });
    await client.next('subscriptionResponse');
    client.send({ method: 'post', id: 1, request: { type: 'info', payload: { type: 'clearinghouseState' } } });
    expect((await client.next('post')).data.response.type).to.equal('info');
    const action = { type: 'updateLeverage', asset: 0, isCross: true, leverage: 5 };
    client.send({ method: 'post', id: 2, request: { type: 'action', payload: { action, nonce: 1 } } });
    expect((await client.next('post')).data.response.payload.status).to.equal('ok');
    expect(await left()).to.equal(before - 1);
    await lives(await open(user.token, other, []).catch(() => open(user.token, other)));
  });

  it('is refused without a token in force, or with two of them', async () => {
    const { token } = await node.register();
    for (const protocols of [
      [],
      ['perpx.v1'],
      ['perpx.v1', 'bearer.'],
      ['perpx.v1', `bearer.${token}x`],
      ['perpx.v1', `bearer.${token}`, 'bearer.x'],
    ])
      expect(await refusal(token, protocols), protocols.join()).to.equal('refused with 401');
    await node.post('/v1/auth/logout', {}, bearer(token));
    expect(await refusal(token)).to.equal('refused with 401');
  });

  it('has as many places as a key, for all tokens of its user and at all nodes together', async () => {
    const user = await node.register();
    const { apiKey } = await node.createKey(user);
    const { body } = await logIn(user.email);
    await open(user.token);
    await open(body.access_token, other);
    const last = await open(body.access_token);
    expect(await refusal(user.token)).to.equal('refused with 429');
    clients.push(await StreamClient.connect(node.baseUrl, { apiKey }));
    await last.stop();
    await until(async () => (await refusal(user.token)) === 'accepted');
  });

  it('is closed with 4001 on every node when its session ends, and those of other sessions are not', async () => {
    const user = await node.register();
    const answer = await logIn(user.email);
    const token = answer.body.access_token;
    const [here, there, stays] = [await open(token), await open(token, other), await open(user.token)];
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await node.request('DELETE', '/v1/auth/session', { headers: { ...OURS, cookie } })).status).to.equal(200);
    for (const client of [here, there]) expect(await closedWith(client)).to.equal(4001);
    await lives(stays);
    const change = { current_password: PASSWORD, new_password: 'a better password' };
    const mine = (await logIn(user.email)).body.access_token;
    const own = await open(mine, other);
    expect((await node.post('/v1/auth/change-password', change, bearer(mine))).status).to.equal(200);
    expect(await closedWith(stays)).to.equal(4001);
    await lives(own);
  });

  it('of a browser outlives its token, and one of a session without a cookie does not; neither outlives the session', async () => {
    const user = await node.register();
    const [page, program] = [await open((await logIn(user.email)).body.access_token), await open(user.token)];
    // Less than the minute of silence after which a socket is closed.
    clockOffsetMs = TOKEN_SECONDS * 1000 + 5000;
    expect(await closedWith(program)).to.equal(4001);
    await lives(page);
    const sessions = node.mongo.db.collection('sessions');
    await sessions.updateMany({ userId: user.id }, { $set: { createdAt: new Date(Date.now() - 91 * DAY_MS) } });
    await announceUserChange(node.redis, { userId: user.id, digests: [] });
    expect(await closedWith(page)).to.equal(4001);
  });
});
