// The published contract as generators of clients read it: each shape once, under a name, and one error for each status.
import { expect } from 'chai';
import { openApi } from '../../../src/api/documents/openApi.ts';
import { at, contract } from '../../support/contract.ts';

interface Place {
  readonly path: readonly string[];
  readonly node: Readonly<Record<string, unknown>>;
}

/** Values of these are data. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'mapping', 'x-error-codes']);

/** Every object of the document that is no data. */
function* objectsIn(node: unknown, path: readonly string[] = []): Generator<Place> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield { path, node: node as Place['node'] };
  for (const [name, part] of Object.entries(node)) {
    // A field may have the name of a keyword.
    if (DATA.has(name) && path.at(-1) !== 'properties') continue;
    yield* objectsIn(part, [...path, name]);
  }
}

const all = [...objectsIn(contract)];
const references = all.flatMap(({ node }) => (typeof node['$ref'] === 'string' ? [node['$ref']] : []));
const { schemas, responses, requestBodies } = contract.components;

const isComponent = ({ path }: Place): boolean => path.length === 3 && path[0] === 'components' && path[1] === 'schemas';
const inlined = (isShape: (node: Place['node']) => boolean): string[] =>
  all.filter((place) => isShape(place.node) && !isComponent(place)).map(({ path }) => path.join('/'));

describe('schemas of the published contract have names', () => {
  it('each object with fields', () => {
    expect(inlined(({ type, properties }) => type === 'object' && properties !== undefined)).to.deep.equal([]);
  });

  it('each choice of several words', () => {
    expect(inlined(({ enum: words }) => Array.isArray(words) && words.length > 1)).to.deep.equal([]);
  });

  it('no shape has two', () => {
    const shapes = new Map<string, string[]>();
    for (const [name, schema] of Object.entries<{ properties?: object; enum?: unknown }>(schemas)) {
      if (Object.keys(schema.properties ?? {}).length === 0 && schema.enum === undefined) continue;
      const { description: _told, ...shape } = schema as { description?: string };
      shapes.set(JSON.stringify(shape), [...(shapes.get(JSON.stringify(shape)) ?? []), name]);
    }
    expect([...shapes.values()].filter((names) => names.length > 1)).to.deep.equal([]);
  });

  it('names are capitalised words, as generators make classes of them', () => {
    for (const parts of [schemas, responses, requestBodies]) {
      for (const name of Object.keys(parts)) expect(name).to.match(/^[A-Z][A-Za-z0-9]*$/);
    }
  });

  it('each is used, and each reference leads somewhere', () => {
    for (const reference of references) expect(at(reference), reference).to.be.an('object');
    for (const kind of ['schemas', 'responses', 'requestBodies', 'headers', 'parameters']) {
      const names = Object.keys(contract.components[kind]).map((name) => `#/components/${kind}/${name}`);
      expect(names.filter((name) => !references.includes(name))).to.deep.equal([]);
    }
  });

  it('none is only another name of another one', () => {
    expect(Object.keys(schemas).filter((name) => '$ref' in schemas[name])).to.deep.equal([]);
  });
});

describe('the published contract is what generators can read', () => {
  it('an error of a status is the same everywhere, but for two where the venue’s endpoints say more', () => {
    const byStatus = new Map<string, Set<string>>();
    for (const methods of Object.values<Record<string, { responses?: Record<string, { $ref?: string }> }>>(contract.paths)) {
      for (const { responses: answers = {} } of Object.values(methods)) {
        for (const [status, { $ref = 'inlined' }] of Object.entries(answers)) {
          if (Number(status) >= 300) byStatus.set(status, (byStatus.get(status) ?? new Set()).add($ref.split('/').at(-1) ?? ''));
        }
      }
    }
    const several = [...byStatus].filter(([, names]) => names.size > 1).map(([status, names]) => [status, [...names].sort()]);
    // The health report is the body of its 503.
    expect(several).to.have.deep.members([
      ['400', ['BadRequest', 'TradingBadRequest']],
      ['403', ['Forbidden', 'TradingForbidden']],
      ['503', ['Unavailable', 'inlined']],
    ]);
  });

  it('tuples say how long they are by the number of their items, and by nothing that is false', () => {
    const tuples = all.filter(({ node }) => 'prefixItems' in node);
    expect(tuples).to.not.have.length(0);
    for (const { node, path } of tuples) {
      const { length } = node['prefixItems'] as unknown[];
      expect(node, path.join('/')).to.include({ minItems: length, maxItems: length }).and.not.have.property('items');
    }
  });

  it('begins with the address where users see the deployment, without a slash at its end', () => {
    const { servers } = openApi([], { publicUrl: 'https://paper.example.com/exchange/' });
    expect(servers).to.have.nested.property('[0].url', 'https://paper.example.com/exchange');
  });

  it('each operation has a name of its own, a tag that is told of, and a summary that is a sentence', () => {
    const operations = Object.values<Record<string, { operationId: string; tags: string[]; summary: string }>>(
      contract.paths,
    ).flatMap(({ parameters: _common, ...methods }) => Object.values(methods));
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).to.equal(names.length);
    const tags: string[] = contract.tags.map(({ name }: { name: string }) => name);
    expect([...new Set(operations.flatMap((operation) => operation.tags))]).to.have.members(tags);
    for (const { operationId, summary } of operations) expect(summary, operationId).to.match(/^[A-Z].*[.]$/);
  });
});
