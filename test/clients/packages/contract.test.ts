// The document that the packages of clients/ are made from is the published contract's part of today, and the packages say
// what is so.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { CCXT_SNIPPET, PYTHON_SNIPPET } from '../../../src/api/documents/clientSnippets.ts';
import { clientContract } from './contract.ts';

const place = (path: string): URL => new URL(`../../../clients/${path}`, import.meta.url);
const read = (path: string): string => readFileSync(place(path), 'utf8');
const text = `${JSON.stringify(clientContract(), undefined, 1)}\n`;
if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(place('openapi.json'), text);

describe('clients', () => {
  it('openapi.json is the contract; UPDATE_DOCS=1 with this test makes it anew', () => {
    expect(JSON.parse(read('openapi.json'))).to.deep.equal(JSON.parse(text));
  });

  it('has what dashboards, billing and accounts offer, and no trading', () => {
    const paths = Object.keys(clientContract().paths);
    expect(paths).to.include.members([
      ...['/v1/auth/me', '/v1/auth/api-keys', '/v1/billing/invoices'],
      ...['/v1/exchanges/{exchange}/account/fills', '/v1/exchanges/{exchange}/account/set-balance'],
    ]);
    expect(paths.filter((path) => /\/(?:info|exchange|ws)$|webhooks/.test(path))).to.deep.equal([]);
  });

  it('the packages show trading with the stock clients', () => {
    expect(read('python/README.md')).to.include(PYTHON_SNIPPET);
    expect(read('typescript/README.md')).to.include(CCXT_SNIPPET);
  });

  it('the tests of examples/ are those of the READMEs', () => {
    expect(read('python/README.md')).to.include(read('../examples/tests/test_bot.py'));
    expect(read('typescript/README.md')).to.include(read('../examples/tests/bot.test.mjs'));
  });

  it('the packages are built with what they say', () => {
    const [, pinned = ''] = /^requires = \[(.*)\]$/m.exec(read('python/pyproject.toml')) ?? [];
    for (const [, requirement = ''] of pinned.matchAll(/"([^"]+)"/g))
      expect(read('python/requirements-dev.txt').split('\n')).to.include(requirement);
    expect(pinned).to.include('openapi-python-client==');
    const { version } = JSON.parse(read('typescript/package.json'));
    expect(read('python/pyproject.toml')).to.include(`\nversion = "${version}"\n`);
    expect(read('typescript/README.md')).to.include(`paper-perps-${version}.tgz`);
  });
});
