// The published contract against the running exchange: each operation with each of its own examples, and requests
// that schemathesis makes from it. `npm run fuzz` sends thousands of requests, bin/test about five hundred.
import { expect } from 'chai';
import { contract, publishedContract, requireContract } from '../support/contract.ts';
import type { Stack } from '../support/stack.ts';
import { checkForm, fuzz } from './schemathesis.ts';
import { sharedStack } from './sharedStack.ts';

const { SEED = '1', FUZZ_CASES } = process.env;

/** Requests of each operation in bin/test, about 500 together. */
const CASES_EACH = 9;
/**
 * Operations whose examples need what no example can bring: a mail's token, a code, a session, an empty sub-account, an endpoint of alerts, a page of ours, a
 * payment, an upgrade.
 */
const OTHER_STATUSES: Readonly<Record<string, number>> = {
  applyDiscount: 400,
  cancelSubscription: 409,
  changeAlertEndpoint: 404,
  compareAccounts: 404,
  compareAccountsWithKeyInPath: 404,
  confirmTotp: 409,
  endBrowserSession: 403,
  importAccount: 400,
  importAccountWithKeyInPath: 400,
  startMirror: 400,
  startMirrorWithKeyInPath: 400,
  stopMirror: 404,
  stopMirrorWithKeyInPath: 404,
  showDivergence: 404,
  showDivergenceWithKeyInPath: 404,
  endSession: 404,
  endTotp: 409,
  openBrowserSession: 403,
  openLinkedSession: 403,
  payTestPayment: 404,
  refreshBrowserSession: 403,
  removeAlertEndpoint: 404,
  renewRecoveryCodes: 409,
  resetPassword: 400,
  retryAlertDelivery: 404,
  rotateAlertSecret: 404,
  showTestPayment: 404,
  openStream: 426,
  openStreamWithKeyInPath: 426,
  stripeWebhook: 400,
  testAlertEndpoint: 404,
  topUp: 400,
  verifyEmail: 400,
};
/** The password in the examples. */
const PASSWORD = 'a good password';

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly $ref: string };
  readonly parameters?: readonly {
    readonly in?: string;
    readonly name?: string;
    readonly required?: boolean;
    readonly schema?: { readonly $ref?: string };
  }[];
}

const operations = Object.entries<Record<string, Operation>>(publishedContract.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

describe('the published contract holds', function () {
  this.timeout(FUZZ_CASES === undefined ? 900_000 : 3_600_000);
  let stack: Stack;

  before(async () => {
    ({ stack } = await sharedStack());
  });

  for (const { method, path, operation } of operations) {
    it(`examples of ${operation.operationId}`, async () => {
      const user = await newUser(stack);
      for (const example of examplesOf(operation)) {
        const { status, text } = await ask(stack, {
          method,
          path: filled(path, user) + queryOf(operation),
          operation,
          example,
          user,
        });
        // Operators' endpoints have their own tests: this user is none.
        const usual = path.startsWith('/v1/admin/') ? 403 : 200;
        expect(status, text).to.equal(OTHER_STATUSES[operation.operationId] ?? usual);
      }
    });
  }

  it('is what is read: no request that its schema allows is refused for its form, and no other is taken', async () => {
    const { ok, output } = await checkForm(stack.baseUrl);
    expect(ok, output).to.equal(true);
    expect(Number(/(\d+) generated/.exec(output)?.[1]), output).to.be.at.least(4000);
  });

  it('whatever schemathesis sends', async () => {
    // Three users: requests that list and revoke keys with the token do not reach the key, and one token may be ended.
    const [reader, trader, leaver] = [await stack.register(), await stack.register(), await stack.register()];
    const { ok, output } = await fuzz({
      ...{ baseUrl: stack.baseUrl, token: reader.token, apiKey: trader.apiKey, spareToken: leaver.token, seed: Number(SEED) },
      ...(FUZZ_CASES === undefined
        ? { casesEach: CASES_EACH, phases: ['fuzzing'] }
        : { casesEach: Number(FUZZ_CASES), phases: ['examples', 'coverage', 'fuzzing'] }),
    });
    expect(ok, output).to.equal(true);
    expect(Number(/(\d+) generated/.exec(output)?.[1]), output).to.be.at.least(400);
  });
});

interface User {
  readonly token: string;
  readonly apiKey: string;
  readonly keyId: string;
}

/** A user with the examples' password, so that their own examples are answered. */
async function newUser({ baseUrl }: Stack): Promise<User> {
  const post = async (path: string, body: object, headers = {}): Promise<Record<string, string>> => {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
    return (await (await fetch(baseUrl + path, init)).json()) as Record<string, string>;
  };
  const email = `examples-${crypto.randomUUID()}@example.com`;
  const { access_token: token = '' } = await post('/v1/auth/register', { email, password: PASSWORD });
  const key = await post('/v1/auth/api-keys', { name: 'examples' }, { authorization: `Bearer ${token}` });
  return { token, apiKey: key['api_key'] ?? '', keyId: key['id'] ?? '' };
}

function filled(path: string, { apiKey, keyId }: User): string {
  const values: Readonly<Record<string, string>> = {
    exchange: 'perpx',
    api_key: apiKey,
    id: keyId,
    script: 'start.js',
    token: 'none',
  };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
}

/** The parameters that have to be there, each with its example, or the first of its words. */
function queryOf({ parameters = [] }: Operation): string {
  const required = parameters.filter((one) => one.in === 'query' && one.required === true);
  const words = required.map(({ name = '', schema }) => {
    const { enum: words, examples = words } = contract.components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema;
    return `${name}=${examples[0]}`;
  });
  return words.length === 0 ? '' : `?${words.join('&')}`;
}

/** Bodies; one `undefined` for an operation without. */
function examplesOf({ requestBody }: Operation): unknown[] {
  const name = requestBody?.$ref.split('/').at(-1);
  if (name === undefined) return [undefined];
  const { examples } = contract.components.requestBodies[name].content['application/json'];
  return Object.values<{ value: unknown }>(examples).map(({ value }) => value);
}

async function ask(
  { baseUrl }: Stack,
  {
    method,
    path,
    operation,
    example,
    user,
  }: { method: string; path: string; operation: Operation; example: unknown; user: User },
): Promise<{ status: number; text: string }> {
  const takes = (scheme: string): boolean => operation.security.some((one) => scheme in one);
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(example !== undefined && { 'content-type': 'application/json' }),
      ...(takes('apiKey') ? { 'x-api-key': user.apiKey } : takes('accessToken') ? { authorization: `Bearer ${user.token}` } : {}),
    },
    ...(example !== undefined && { body: JSON.stringify(example) }),
  });
  const text = await response.text();
  requireContract({ method, path, requestBody: example, status: response.status, headers: response.headers, text });
  return { status: response.status, text };
}
