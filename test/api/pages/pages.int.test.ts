import { expect } from 'chai';
import { dashboardPageEndpoints } from '../../../src/api/pages/pageEndpoints.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { useStores } from '../../support/useStores.ts';

describe('the dashboard’s pages, as the API serves them', () => {
  const stores = useStores();
  let node: ApiNode;

  before(async () => {
    node = await ApiNode.start(stores, { env: { DASHBOARD: 'on', PUBLIC_URL: 'https://paper.example.com' } });
  });
  after(() => node.stop());

  const get = async (path: string): Promise<{ status: number; text: string; headers: Headers }> => {
    const answer = await fetch(node.baseUrl + path, { headers: { 'accept-encoding': 'br' } });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const pathsOfPages = dashboardPageEndpoints
    .filter(({ answer }) => answer.contentType === 'text/html')
    .map(({ path }) => path.replace(/:\w+/, '17'));

  it('each address gives the page, which runs code of this server only and may make no markup out of text', async () => {
    expect(pathsOfPages).to.include.members(['/login', '/overview', '/orders/17', '/fills/17']);
    for (const path of pathsOfPages) {
      const { status, text, headers } = await get(path);
      expect(status, path).to.equal(200);
      expect(text, path).to.match(/<script type="module" crossorigin src="\/scripts\/[\w-]+\.js">/);
      expect(headers.get('cache-control')).to.equal('no-cache');
      const policy = headers.get('content-security-policy')?.split('; ');
      expect(policy).to.include.members([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self' wss://paper.example.com",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
    }
  });

  it('the page’s files are there, may be kept for a year, and come compressed', async () => {
    const { text: page } = await get('/overview');
    const files = [...page.matchAll(/(?:src|href)="(\/s[^"]+)"/g)].map(([, path]) => path as string);
    expect(files.map((path) => path.replace(/.*\./, ''))).to.include.members(['js', 'css']);
    for (const path of files) {
      const answer = await get(path);
      expect(answer.status, path).to.equal(200);
      expect(answer.headers.get('content-encoding') ?? 'br', path).to.equal('br');
      expect(answer.text.length, path).to.be.greaterThan(100);
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000');
    }
  });

  it('an unknown file is a 404 in JSON, whatever is in its name', async () => {
    for (const path of ['/scripts/none.js', '/scripts/..%2f..%2fpackage.json', '/styles/%00', '/overview/none', '/orders/1/2']) {
      const { status, text } = await get(path);
      expect(status, path).to.equal(404);
      expect(JSON.parse(text).code, path).to.equal('not_found');
    }
  });

  const visit = async (path: string, at = node): Promise<{ status: number; text: string; headers: Headers }> => {
    const answer = await fetch(at.baseUrl + path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const SCRIPT = /<script type="module" crossorigin src="\/scripts\//;
  /** Where a plain page stands where the dashboard is off. */
  const BESIDE = ['/billing?invoice=inv_1', '/reset-password', '/verify-email'];

  it('stands where the links of mails and payments lead, and at the root for browsers', async () => {
    for (const path of ['/', ...BESIDE]) {
      const { status, text } = await visit(path);
      expect(status, path).to.equal(200);
      expect(text, path).to.match(SCRIPT);
    }
    const { text, headers } = await get('/');
    expect(text, 'programs read what this is').to.include('First order');
    expect(headers.get('vary')).to.include('Accept');
  });

  it('shows a browser a page at an address that leads nowhere, with 404; programs get JSON', async () => {
    for (const path of ['/none', '/overview/none', '/v1/none']) {
      const { status, text, headers } = await visit(path);
      expect(status, path).to.equal(404);
      expect(text, path).to.match(SCRIPT);
      expect(headers.get('etag'), 'it is no page that could be fresh').to.equal(null);
    }
    const posted = await fetch(`${node.baseUrl}/none`, { method: 'POST', headers: { accept: 'text/html' } });
    expect(posted.status).to.equal(404);
    expect(((await posted.json()) as { code: string }).code).to.equal('not_found');
    const other = await visit('/v1/auth/login');
    expect(other.status, 'an address of another method is no page').to.equal(405);
    expect(JSON.parse(other.text).code).to.equal('method_not_allowed');
  });

  it('is not there where it is switched off', async () => {
    const other = await ApiNode.start(stores, {});
    try {
      for (const path of pathsOfPages) expect((await fetch(other.baseUrl + path)).status, path).to.equal(404);
      for (const path of ['/', ...BESIDE]) {
        const { status, text } = await visit(path, other);
        expect(status, path).to.equal(200);
        expect(text, path).to.not.match(SCRIPT);
      }
      expect(JSON.parse((await visit('/none', other)).text).code).to.equal('not_found');
    } finally {
      await other.stop();
    }
  });
});
