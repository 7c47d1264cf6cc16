import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ApiNode } from '../../support/apiNode.ts';
import { contract } from '../../support/contract.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';
import { streamContract } from '../../support/streamContract.ts';

const LOCK = new URL('../../../package-lock.json', import.meta.url);

describe('the contract over HTTP', () => {
  let stores: { redis: Store; mongo: Store };
  let node: ApiNode;

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
    node = await ApiNode.start(stores);
  });
  after(async () => {
    await node.stop();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  it('is served to everybody', async () => {
    const { status, headers, body } = await node.request('GET', '/v1/openapi.json');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    expect(body).to.deep.equal(contract);
  });

  it('of the streams is served to everybody, with the limits of this deployment', async () => {
    const { status, headers, body } = await node.request('GET', '/v1/asyncapi.json');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    const { 'x-limits': limits, ...rest } = body;
    const { 'x-limits': expected, ...others } = streamContract;
    expect(rest).to.deep.equal(others);
    expect(limits).to.have.keys(Object.keys(expected));
  });

  it('is shown by a page that runs and asks for nothing but what is here', async () => {
    const { status, headers, text } = await node.request('GET', '/docs');
    expect(status).to.equal(200);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).to.include("default-src 'none'").and.include("script-src 'self'").and.include("connect-src 'self'");
    expect(policy).not.to.match(/https?:|\*|unsafe-eval/);
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses).to.include('/docs/swagger-ui-bundle.js');
    for (const address of addresses.filter((one) => !one.startsWith('data:'))) {
      expect(address).to.match(/^\/(?!\/)/);
      expect((await node.request('GET', address)).status, address).to.equal(200);
    }
  });

  it('is shown by a library that brings nothing along, least of all what reports installations', () => {
    const lock: { packages: Record<string, { dependencies?: object }> } = JSON.parse(readFileSync(LOCK, 'utf8'));
    expect(lock.packages['node_modules/swagger-ui-dist']).not.to.have.property('dependencies');
    expect(Object.keys(lock.packages).filter((name) => name.includes('scarf'))).to.deep.equal([]);
  });

  it('tells the library to show ours, and to ask no validator', async () => {
    const { text } = await node.request('GET', '/docs/start.js');
    expect(text).to.include("url: '/v1/openapi.json'").and.include('validatorUrl: null');
  });

  for (const name of ['package.json', 'index.html', '..%2Fpackage.json', 'swagger-ui-bundle.js.map']) {
    it(`${name} of the library is not there`, async () =>
      expect((await node.request('GET', `/docs/${name}`)).status).to.equal(404));
  }
});
