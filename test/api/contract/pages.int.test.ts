import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ApiNode } from '../../support/apiNode.ts';
import { publishedContract } from '../../support/contract.ts';
import { streamContract } from '../../support/streamContract.ts';
import { useStores } from '../../support/useStores.ts';

const LOCK = new URL('../../../package-lock.json', import.meta.url);

describe('the contract over HTTP', () => {
  const stores = useStores();
  let node: ApiNode;

  before(async () => {
    node = await ApiNode.start(stores);
  });
  after(() => node.stop());

  it('is served to everybody', async () => {
    const { status, headers, body } = await node.request('GET', '/v1/openapi.json');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    expect(body).to.deep.equal(publishedContract);
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

  for (const path of ['/docs', '/docs/websocket']) {
    it(`${path} is a page that runs and asks for nothing but what is here`, async () => {
      const { status, headers, text } = await node.request('GET', path);
      expect(status).to.equal(200);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).to.include("default-src 'none'").and.include("script-src 'self'").and.include("connect-src 'self'");
      expect(policy).not.to.match(/https?:|\*|unsafe-eval/);
      expect(text).not.to.match(/<script(?! src="\/docs\/)|<[^>]* on\w+=/);
      const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
      expect(addresses).to.include.members(['/docs', '/docs/websocket', '/llms.txt', '/v1/openapi.json', '/v1/asyncapi.json']);
      for (const address of new Set(addresses.filter((one) => !one.startsWith('data:')))) {
        if (address.startsWith('#')) expect(text).to.include(` id="${address.slice(1)}"`);
        else expect((await node.request('GET', address)).status, address).to.not.equal(404);
      }
    });
  }

  it('is shown by the library on the first page', async () => {
    expect((await node.request('GET', '/docs')).text)
      .to.include('src="/docs/swagger-ui-bundle.js"')
      .and.include('id="contract"');
  });

  it('/llms.txt is text that browsers show, and its links lead here', async () => {
    const { headers, text } = await node.request('GET', '/llms.txt');
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const links = [...text.matchAll(/^- \[[^\]]+\]\(http:\/\/127\.0\.0\.1:3000(\/[^)]*)\): \S/gm)].map(([, path = '']) => path);
    expect(links).to.include.members(['/docs', '/docs/websocket', '/v1/openapi.json', '/v1/asyncapi.json']);
    for (const link of links) expect((await node.request('GET', link)).status, link).to.not.equal(404);
  });

  it('is shown by a library without known holes, and without what reports installations', () => {
    const lock: { packages: Record<string, { version: string; name?: string }> } = JSON.parse(readFileSync(LOCK, 'utf8'));
    const [major = 0, minor = 0, patch = 0] = lock.packages['node_modules/swagger-ui-dist']?.version.split('.').map(Number) ?? [];
    // 5.32.7 is the first with a DOMPurify that is not known to let scripts through.
    expect(major * 1e6 + minor * 1e3 + patch).to.be.at.least(5_032_007);
    for (const [path, { name }] of Object.entries(lock.packages)) if (path.includes('scarf')) expect(name, path).to.equal('ms');
  });

  it('comes compressed from memory, and not again to a client that has it', async () => {
    const contracts = ['/v1/openapi.json', '/v1/asyncapi.json'];
    const pages = ['/docs', '/docs/websocket', '/llms.txt'];
    for (const path of ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', ...contracts, ...pages]) {
      const plain = await node.request('GET', path, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.get('content-encoding'), path).to.equal(null);
      expect(plain.headers.get('vary')).to.include('Accept-Encoding');
      for (const encoding of ['br', 'gzip']) {
        const packed = await node.request('GET', path, { headers: { 'accept-encoding': encoding } });
        expect(packed.headers.get('content-encoding'), path).to.equal(encoding);
        expect(packed.text).to.equal(plain.text);
        expect(Number(packed.headers.get('content-length'))).to.be.lessThan(Buffer.byteLength(plain.text) * 0.7);
        const etag = packed.headers.get('etag') ?? '';
        // Without a cache-control of its own fetch asks for a whole answer.
        const conditional = { 'accept-encoding': encoding, 'if-none-match': etag, 'cache-control': 'max-age=0' };
        const again = await node.request('GET', path, { headers: conditional });
        expect(again).to.include({ status: 304, text: '' });
      }
    }
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
