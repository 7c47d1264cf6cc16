import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { type Store, startRedis } from '../../support/stores.ts';

const INFO = '/v1/exchanges/perpx/info';
const PAGE = 'https://app.example.com';
const ASKED = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,x-api-key' };

describe('cors: pages of CORS_ORIGINS may use the API, others not', () => {
  let redis: Store;
  const nodes: ApiNode[] = [];
  const start = async (env: Record<string, string>): Promise<ApiNode> => {
    // Nothing here asks MongoDB.
    const node = await ApiNode.start({ redis, mongo: { ...redis, url: 'mongodb://127.0.0.1:1' } }, { env });
    nodes.push(node);
    return node;
  };
  const from = (node: ApiNode, method: string, origin: string, headers: Record<string, string> = {}): Promise<Answer> =>
    node.request(method, INFO, { headers: { origin, ...headers } });

  before(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    const [node] = nodes;
    await node?.redis.flushall();
    await Promise.all(nodes.splice(0).map((one) => one.stop()));
  });
  after(() => redis.stop());

  it('a preflight of such a page is answered, with what it may send', async () => {
    const node = await start({ CORS_ORIGINS: `https://other.example.com, ${PAGE}` });
    const { status, headers, text } = await from(node, 'OPTIONS', PAGE, ASKED);
    expect({ status, text }).to.deep.equal({ status: 204, text: '' });
    expect(headers.get('access-control-allow-origin')).to.equal(PAGE);
    expect(headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST,PUT,DELETE');
    expect(headers.get('access-control-allow-headers')?.split(',')).to.include.members(['Authorization', 'X-API-Key']);
    expect(headers.get('access-control-allow-credentials')).to.equal(null);
    expect(headers.get('vary')).to.equal('Origin');
  });

  it('its requests are answered with headers that it may read, refusals too', async () => {
    const node = await start({ CORS_ORIGINS: PAGE, ANONYMOUS_REQUESTS_PER_MINUTE: '2' });
    const answers = [await from(node, 'POST', PAGE), await from(node, 'GET', PAGE), await from(node, 'POST', PAGE)];
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 405, 429]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).to.equal(PAGE);
      const exposed = headers.get('access-control-expose-headers')?.split(',');
      expect(exposed).to.include.members(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']);
      expect(exposed).to.include.members(['X-Market-Source', 'X-Account-Seq']);
    }
  });

  it('preflights count on the address like anything without a key', async () => {
    const node = await start({ CORS_ORIGINS: PAGE, ANONYMOUS_REQUESTS_PER_MINUTE: '2' });
    const ask = async () => (await from(node, 'OPTIONS', PAGE, ASKED)).status;
    expect([await ask(), await ask(), await ask()]).to.deep.equal([204, 204, 429]);
  });

  it('another page gets no header and no preflight', async () => {
    const node = await start({ CORS_ORIGINS: PAGE });
    for (const origin of ['https://evil.example.com', `${PAGE}.evil.com`, 'http://app.example.com', 'null']) {
      const preflight = await from(node, 'OPTIONS', origin, ASKED);
      expect(preflight.status).to.equal(405);
      expect(preflight.headers.get('access-control-allow-origin')).to.equal(null);
      expect((await from(node, 'POST', origin)).headers.get('access-control-allow-origin')).to.equal(null);
    }
  });

  it('nobody does by default, and everybody with *', async () => {
    const closed = await from(await start({}), 'OPTIONS', PAGE, ASKED);
    expect(closed.status).to.equal(405);
    expect(closed.headers.get('vary')).to.equal(null);
    const open = await from(await start({ CORS_ORIGINS: '*' }), 'OPTIONS', PAGE, ASKED);
    expect(open.headers.get('access-control-allow-origin')).to.equal('*');
  });

  for (const wrong of ['app.example.com', `${PAGE}/`, `${PAGE}/path`, `${PAGE},`, 'https://*.example.com x']) {
    it(`CORS_ORIGINS=${wrong} stops the start`, () => {
      expect(() => readConfig({ CORS_ORIGINS: wrong })).to.throw(/CORS_ORIGINS: ".*" is no origin/);
    });
  }
});
