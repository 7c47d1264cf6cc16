import { expect } from 'chai';
import { marketKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

describe('the page at the root: what this is, that it works, and the first order', () => {
  let stores: { redis: Store; mongo: Store };
  let nowMs = Date.now();

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
  });
  after(() => Promise.all([stores.redis.stop(), stores.mongo.stop()]));

  async function withNode(env: Record<string, string>, use: (node: ApiNode) => Promise<void>): Promise<void> {
    const node = await ApiNode.start(stores, { env, now: () => nowMs });
    try {
      await use(node);
    } finally {
      await node.stop();
    }
  }

  it('has the addresses of this deployment, and every link of it leads somewhere', () =>
    withNode({ PUBLIC_URL: 'https://paper.example.com/' }, async (node) => {
      const { status, text, headers } = await node.request('GET', '/');
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).to.match(/^default-src 'none'/);
      expect(headers.get('content-security-policy')).to.not.include('script-src');
      for (const address of ['POST https://paper.example.com/v1/exchanges/perpx/key/YOUR_KEY/info', '/exchange', 'wss://']) {
        expect(text).to.include(address);
      }
      const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path as string);
      expect(links).to.include.members(['/docs', '/docs/websocket', '/llms.txt', '/v1/openapi.json', '/v1/asyncapi.json']);
      for (const link of links) expect((await node.request('GET', link)).status, link).to.not.equal(404);
    }));

  it('shows an order that is one: as it is printed, with a key, it is placed', () =>
    withNode({}, async (node) => {
      node.exchange.setMarket('BTC', { mark: '100', bids: [['99', '1']], asks: [['101', '1']] });
      const { apiKey } = await node.createKey(await node.register());
      const { text } = await node.request('GET', '/');
      const [, path = '', body = ''] = /curl -s http:\/\/127\.0\.0\.1:3000(\S+) .*? -d '([^']+)'/s.exec(text) ?? [];
      const answer = await node.post(path.replace('YOUR_KEY', apiKey), JSON.parse(body));
      expect(answer.body.status, answer.text).to.equal('ok');
    }));

  it('says when no orders are taken', () =>
    withNode({ SHARDS: '1' }, async (node) => {
      await node.redis.del(shardKeys.lease(0), marketKeys.state);
      nowMs += 60_000;
      const { text } = await node.request('GET', '/');
      expect(text).to.include('It takes no orders at the moment');
    }));

  it('an operator’s address cannot bring markup into it', () =>
    withNode({ PUBLIC_URL: 'https://paper.example.com/<script>&' }, async (node) => {
      const { text } = await node.request('GET', '/');
      expect(text).to.not.include('<script');
    }));
});
