// The budget of a caller for a minute, over HTTP and over sockets, on two nodes that share their stores.
import { expect } from 'chai';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { wireOrder } from '../../support/orderWire.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { useStores } from '../../support/useStores.ts';

const INFO = '/v1/exchanges/perpx/info';
const EXCHANGE = '/v1/exchanges/perpx/exchange';

describe('the budgets of a caller', () => {
  const stores = useStores();
  let nodes: [ApiNode, ApiNode];
  let user: TestUser;

  const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '60', PLAN_BASIC_WEIGHT_PER_MINUTE: '200' };

  before(async () => {
    nodes = [await ApiNode.start(stores, { env }), await ApiNode.start(stores, { env })];
  });
  beforeEach(async () => {
    user = await nodes[0].register();
  });
  after(() => Promise.all(nodes.map((node) => node.stop())));

  const ask = (apiKey: string, body: unknown, i = 0, path = INFO): Promise<Answer> =>
    nodes[i % 2 === 0 ? 0 : 1].post(path, body, { 'x-api-key': apiKey });
  const orders = (count: number): object => {
    const order = wireOrder(0, { px: '50000', sz: '0.001' });
    return { action: { type: 'order', orders: Array.from({ length: count }, () => order), grouping: 'na' }, nonce: 1 };
  };
  const remaining = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'));
  const rotate = async (keyId: string): Promise<{ id: string; apiKey: string }> => {
    const headers = { authorization: `Bearer ${user.token}` };
    const { status } = await nodes[0].request('DELETE', `/v1/auth/api-keys/${keyId}`, { headers });
    expect(status).to.be.oneOf([200, 204]);
    return nodes[0].createKey(user);
  };

  it('an action costs one request for every forty orders begun, on any node', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    expect(remaining(await ask(apiKey, orders(39), 0, EXCHANGE))).to.equal(59);
    expect(remaining(await ask(apiKey, orders(40), 1, EXCHANGE))).to.equal(57);
    expect(remaining(await ask(apiKey, orders(1000), 0, EXCHANGE))).to.equal(31);
    expect(remaining(await ask(apiKey, orders(1000), 1, EXCHANGE))).to.equal(5);
    const refused = await ask(apiKey, orders(1000), 0, EXCHANGE);
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask(apiKey, orders(1), 1, EXCHANGE)).status, 'what is left is still there').to.equal(200);
  });

  it('questions have a weight, of which there is a second budget; the 429 says which', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    const statuses: number[] = [];
    let refused: Answer | undefined;
    for (let i = 0; i < 14 && refused === undefined; i++) {
      const answer = await ask(apiKey, { type: 'meta' }, i);
      statuses.push(answer.status);
      if (answer.status === 429) refused = answer;
    }
    expect(statuses.filter((status) => status === 200)).to.have.length(10);
    expect(refused?.body.code).to.equal('weight_limited');
    expect(refused?.body.detail).to.match(/weight of 200 a minute/);
    expect(remaining(refused as Answer), 'requests are left').to.be.above(40);
  });

  it('the plan’s own figures fit: as many heavy questions as requests', async () => {
    const node = await ApiNode.start(stores, { env: { PLAN_BASIC_REQUESTS_PER_MINUTE: '30' } });
    try {
      const { apiKey } = await node.createKey(user);
      const answers: Answer[] = [];
      for (let i = 0; i < 31; i++) answers.push(await node.post(INFO, { type: 'userRole', user: null }, { 'x-api-key': apiKey }));
      expect(answers.map(({ status }) => status)).to.deep.equal([...Array.from({ length: 30 }, () => 200), 429]);
      expect(answers.at(-1)?.body.code).to.equal('rate_limited');
    } finally {
      await node.stop();
    }
  });

  it('a key made anew begins with what its user has left, however often', async () => {
    let granted = 0;
    let key = await nodes[0].createKey(user);
    for (let round = 0; round < 7; round++) {
      for (let i = 0; i < 61; i++) {
        const { status } = await ask(key.apiKey, orders(0), i, EXCHANGE);
        if (status !== 429) granted += 1;
      }
      key = await rotate(key.id);
    }
    expect(granted).to.equal(5 * 60);
    const fresh = await ask(key.apiKey, orders(1), 0, EXCHANGE);
    expect([fresh.status, remaining(fresh)]).to.deep.equal([429, 0]);
    expect(fresh.body.detail).to.match(/all API keys/);
  });

  it('access tokens have a window of their own', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    for (let i = 0; i < 61; i++) await ask(apiKey, orders(1), i, EXCHANGE);
    const me = await nodes[0].request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${user.token}` } });
    expect(me.status).to.equal(200);
  });

  it('a post over a socket costs the same, and its refusal says so', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    const client = await StreamClient.connect(nodes[0].baseUrl, { apiKey });
    const post = async (id: number): Promise<unknown> => {
      client.send({ method: 'post', id, request: { type: 'action', payload: orders(1000) } });
      return (await client.next('post')).data.response;
    };
    expect(await post(1)).to.deep.include({ type: 'action' });
    expect(await post(2)).to.deep.include({ type: 'action' });
    expect(await post(3)).to.deep.include({ type: 'error' });
    // The handshake is a request, too.
    expect(remaining(await ask(apiKey, orders(1), 1, EXCHANGE))).to.equal(60 - 1 - 2 * 26 - 1);
    await client.stop();
  });
});
