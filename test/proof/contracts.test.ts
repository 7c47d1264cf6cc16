// The published contracts are byte for byte the same as when the digests in test/fixtures/contracts.json were made: every path,
// schema, channel and message. `UPDATE_CONTRACTS=1` with this test writes the digests of a contract that was changed on purpose.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { openApi } from '../../src/api/documents/openApi.ts';
import { allEndpoints } from '../../src/api/registry.ts';
import { streamContract } from '../support/streamContract.ts';

type Digests = Readonly<Record<string, string>>;

const fixture = new URL('../fixtures/contracts.json', import.meta.url);
const endpoints = allEndpoints({ hasTestPayments: true, hasDashboard: true });
const documents = { openapi: openApi(endpoints, { publicUrl: 'http://127.0.0.1:3000' }), asyncapi: streamContract };
const seen = Object.fromEntries(Object.entries(documents).map(([name, document]) => [name, digestsOf(document)]));
if (process.env['UPDATE_CONTRACTS'] !== undefined) writeFileSync(fixture, `${JSON.stringify(seen, undefined, 1)}\n`);
const stored: Readonly<Record<string, Digests>> = JSON.parse(readFileSync(fixture, 'utf8'));

describe('published contracts are byte for byte as they were', () => {
  for (const [name, digests] of Object.entries(seen)) {
    it(`every part of ${name}`, () => expect(digests).to.deep.equal(stored[name]));

    it(`the parts of ${name} in their order`, () => expect(Object.keys(digests)).to.deep.equal(Object.keys(stored[name] ?? {})));
  }
});

/** Of each part that has a name of its own: paths, schemas, channels and the like one by one, in the order of the document. */
function digestsOf(document: object): Digests {
  const digests: Record<string, string> = {};
  const add = (path: readonly string[], node: unknown): void => {
    const isDivided = path.length === 0 || /^(?:paths|components|channels|operations)$/.test(path[0] ?? '');
    const depth = path[0] === 'components' ? 3 : 2;
    if (isDivided && path.length < depth && typeof node === 'object' && node !== null)
      for (const [key, part] of Object.entries(node)) add([...path, key], part);
    else digests[path.join(' ')] = createHash('sha256').update(JSON.stringify(node)).digest('hex').slice(0, 10);
  };
  add([], JSON.parse(JSON.stringify(document)));
  return digests;
}
