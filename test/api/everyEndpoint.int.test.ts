// Odd input at every endpoint of the published contract, so that a new endpoint is tested too. Each answer is a clear
// 4xx in our own words or a proper answer, never a fault, and a refused request has changed nothing.
import { expect } from 'chai';
import { pathPrices } from '../../src/api/domain/requestPrice.ts';
import { readRequestPath } from '../../src/api/http/requestPath.ts';
import { allEndpoints } from '../../src/api/registry.ts';
import { type Answer, ApiNode, type TestUser } from '../support/apiNode.ts';
import { useStores } from '../support/useStores.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const priceOf = pathPrices(allEndpoints({ hasTestPayments: true, hasDashboard: true }));
const BODY_MAX = 1_048_576;

const VALUES: readonly string[] = [
  ...['null', 'true', '0', '-1', '0.5', '1e308', '-1e400', '9'.repeat(400), 'NaN', 'Infinity', '""', '" "', '"text"', '"٣"'],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"💩"',
    '"../../etc/passwd"',
    '"%00"',
    '"a@b\\r\\nBcc: c@d"',
    `"${'ﷺ'.repeat(3000)}"`,
    '[]',
    '{}',
  ],
  ...['[[[[]]]]', '{"$gt":""}', '{"toString":1}', '{"__proto__":{"plan":"pro"}}', `${'['.repeat(500)}${']'.repeat(500)}`],
];
const QUERY_VALUES = [
  '',
  '-1',
  '0',
  '1e9',
  'NaN',
  'Infinity',
  '9'.repeat(60),
  '%00',
  '%F0%9F%92%A9',
  '%ff',
  'true',
  '[]',
  '{}',
  'x'.repeat(3000),
];
const PARTS = ['%00', '%F0%9F%92%A9', '..%2f..', '__proto__', '9'.repeat(500), '%ff', "'"];

interface RequestBody {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: RequestBody;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The fault of a request. */
interface Odd {
  readonly body?: string;
  readonly query?: string;
  readonly type?: string;
  readonly path?: string;
}

describe('every endpoint of the contract, with odd input', function () {
  this.timeout(600_000);
  const stores = useStores();
  let node: ApiNode;
  let contract: Contract;
  let user: TestUser;
  let apiKey: string;

  before(async () => {
    const unlimited = { PLAN_BASIC_REQUESTS_PER_MINUTE: '1000000', ANONYMOUS_REQUESTS_PER_MINUTE: '1000000' };
    node = await ApiNode.start(stores, { env: unlimited });
    contract = (await node.request('GET', '/v1/openapi.json')).body;
  });
  after(() => node.stop());
  /** A user whose token no request has ended. */
  const asNewUser = async (): Promise<void> => {
    user = await node.register();
    ({ apiKey } = await node.createKey(user));
  };

  const endpoints = (): Endpoint[] =>
    // This node has no actors, and /health says so.
    Object.entries(contract.paths).flatMap(([path, methods]) =>
      path === '/health'
        ? []
        : METHODS.flatMap((method) => {
            const operation = methods[method.toLowerCase()];
            return operation === undefined ? [] : [{ method, path, operation }];
          }),
    );
  const takesBody = ({ operation }: Endpoint): boolean => operation.requestBody !== undefined;
  const pathOf = ({ path }: Endpoint, unknown = 'odd'): string =>
    path
      .replace('{exchange}', 'perpx')
      .replace(/\{(?:api_?key|key)\}/i, apiKey)
      .replace(/\{\w+\}/g, unknown);
  const send = (endpoint: Endpoint, { body, query = '', type = 'application/json', path }: Odd): Promise<Answer> =>
    node.request(endpoint.method, (path ?? pathOf(endpoint)) + query, {
      headers: {
        'x-api-key': apiKey,
        authorization: `Bearer ${user.token}`,
        // The headers that the endpoints by cookie ask of a page of ours.
        ...{ 'x-requested-with': 'dashboard', 'sec-fetch-site': 'same-origin' },
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
    });
  /** State that a refused request must leave as it was. */
  const state = async (): Promise<unknown> => {
    const { db } = node.mongo;
    const own = { userId: user.id } as object;
    const counts = ['users', 'apiKeys', 'invoices', 'discounts'].map((name) => db.collection(name).countDocuments());
    return [
      await db.collection<{ _id: string }>('users').findOne({ _id: user.id }),
      await db.collection('apiKeys').find(own).toArray(),
      ...(await Promise.all(counts)),
      node.exchange.rows.length,
    ];
  };
  /** Asks all at once. Unless a request was done, nothing may have changed. */
  const expectSound = async (endpoint: Endpoint, requests: readonly Odd[]): Promise<void> => {
    const before = await state();
    const answers = await Promise.all(requests.map((request) => send(endpoint, request)));
    for (const [i, { status, body, text, headers }] of answers.entries()) {
      const shown = JSON.stringify(requests[i]).slice(0, 80);
      const where = `${endpoint.method} ${endpoint.path} ${shown} -> ${status} ${text.slice(0, 200)}`;
      expect(status, where).to.be.within(200, 499);
      if (status < 400) continue;
      expect(headers.get('content-type'), where).to.match(/^application\/json/);
      expect(body, where).to.include.all.keys('detail', 'code', 'msg');
      expect(text.length, where).to.be.lessThan(2000);
    }
    if (answers.every(({ status }) => status >= 400)) expect(await state(), endpoint.path).to.deep.equal(before);
  };
  const each = async (wanted: (endpoint: Endpoint) => boolean, check: (endpoint: Endpoint) => Promise<void>): Promise<void> => {
    const asked = endpoints().filter(wanted);
    expect(asked.length).to.be.at.least(10);
    for (const endpoint of asked) {
      await asNewUser();
      await check(endpoint);
    }
  };

  it('is found, at its price, however its slashes and letters are encoded, and in one letter case', async () => {
    await asNewUser();
    const codeOf = async (method: string, path: string): Promise<string> => {
      const response = await fetch(node.baseUrl + path, { method });
      const { code = '' } = (await response.json().catch(() => ({}))) as { code?: string };
      return `${response.status} ${code}`;
    };
    for (const endpoint of endpoints()) {
      const path = pathOf(endpoint);
      const plain = await codeOf(endpoint.method, path);
      const encoded = path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      for (const other of [`${path}/`, path.replaceAll('/', '//'), path.replace(/(?!^)\/(?=[^/]*$)/, '%2F'), encoded]) {
        expect(await codeOf(endpoint.method, other), other).to.equal(plain);
        expect(priceOf(readRequestPath(other)?.path), other).to.deep.equal(priceOf(readRequestPath(path)?.path));
      }
      for (const letter of [/\/[a-z]/, /\/[a-z](?=[^/]*$)/]) {
        const other = pathOf({ ...endpoint, path: endpoint.path.replace(letter, (found) => found.toUpperCase()) });
        if (other !== path) expect(await codeOf(endpoint.method, other), other).to.equal('404 not_found');
      }
    }
  });

  it('bodies of any form', () =>
    each(takesBody, (endpoint) =>
      expectSound(
        endpoint,
        ['', '{', '[', '\\u0000', ...VALUES].map((body) => ({ body })),
      ),
    ));

  it('fields of any form', () =>
    // Bodies of info and exchange depend on their type: test/api/unreadableBodies.test.ts spoils each of them.
    each(
      (endpoint) => takesBody(endpoint) && !/\/(info|exchange)$/.test(endpoint.path),
      async (endpoint) => {
        for (const field of fieldsOf(contract, endpoint.operation)) {
          await expectSound(
            endpoint,
            VALUES.map((value) => ({ body: `{${JSON.stringify(field)}:${value}}` })),
          );
        }
      },
    ));

  it('bodies that are too large, too deep or of another type', () => {
    const large = JSON.stringify({ text: 'a'.repeat(BODY_MAX) });
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    return each(takesBody, async (endpoint) => {
      // Endpoints of operators ask for the role before they read; test/operators has their bodies.
      const isOfOperators = endpoint.path.startsWith('/v1/admin/');
      expect((await send(endpoint, { body: large })).status, `${endpoint.path}: large`).to.equal(isOfOperators ? 403 : 413);
      expect((await send(endpoint, { body: deep })).status, `${endpoint.path}: deep`).to.equal(isOfOperators ? 403 : 400);
      const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'];
      await expectSound(
        endpoint,
        types.map((type) => ({ body: '{}', type })),
      );
    });
  });

  it('query parameters and parts of the path', () =>
    each(
      () => true,
      async (endpoint) => {
        const names = (endpoint.operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
        const queries = names.flatMap((name) => QUERY_VALUES.map((value) => `?${name}=${value}`));
        const strangers = ['?unknown=1', '?__proto__[plan]=pro', '?%00', '?='];
        for (let at = 0; at < queries.length; at += 8) {
          await expectSound(
            endpoint,
            queries.slice(at, at + 8).map((query) => ({ query })),
          );
        }
        await expectSound(
          endpoint,
          strangers.map((query) => ({ query })),
        );
        if (pathOf(endpoint, 'a') === pathOf(endpoint, 'b')) return;
        await expectSound(
          endpoint,
          PARTS.map((part) => ({ path: pathOf(endpoint, part) })),
        );
      },
    ));
});

/** The schema that a reference of the contract names, or the schema itself. */
function resolved(contract: Contract, node: unknown): unknown {
  const { $ref } = node as { readonly $ref?: string };
  if ($ref === undefined) return node;
  return $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], contract);
}

/** Names of the fields of a request body, wherever its schema has them. */
function fieldsOf(contract: Contract, { requestBody }: Operation): string[] {
  const names = new Set<string>();
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > 4) return;
    const {
      properties = {},
      anyOf = [],
      oneOf = [],
      allOf = [],
    } = resolved(contract, node) as {
      readonly properties?: Readonly<Record<string, unknown>>;
      readonly anyOf?: readonly unknown[];
      readonly oneOf?: readonly unknown[];
      readonly allOf?: readonly unknown[];
    };
    for (const name of Object.keys(properties)) names.add(name);
    for (const one of [...anyOf, ...oneOf, ...allOf]) visit(one, depth + 1);
  };
  const { content = {} } = resolved(contract, requestBody ?? {}) as RequestBody;
  for (const { schema } of Object.values(content)) visit(schema, 0);
  return [...names];
}
