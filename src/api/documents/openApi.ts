// The published contract, OpenAPI 3.1, made from the contracts beside each endpoint, so that it describes the bodies
// that are read and the answers that are given, and from what all endpoints share.
import type { TObject } from '@sinclair/typebox';
import { scopeOf, takesKey } from '../access/keys/keyScopes.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { errorSchema, errorsOf, meaningOf } from '../contract/errorResponses.ts';
import { toPublished } from '../contract/published.ts';
import { tradingComponents } from './tradingContract.ts';

/** Of the contract. */
export const VERSION = '1.0';
export const EXCHANGE = 'perpx';

const ABOUT = `A paper-trading exchange for perpetual futures that speaks Hyperliquid’s public API: a client of the venue works with
\`…/v1/exchanges/${EXCHANGE}\` as its base address. Money is paper.

**Credentials.** An API key in the header \`X-API-Key\` or in the path (\`/v1/exchanges/${EXCHANGE}/key/<key>/…\`, for clients that
send no header); an access token as \`Authorization: Bearer <token>\`. Where both come, each
endpoint takes the one it wants, and the request counts for the key. A key may be limited to scopes (\`x-key-scope\` says which one an
endpoint needs), to addresses, and in time.

**Limits.** Every answer tells the caller’s limit (\`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\`), a 429 also when to come back
(\`Retry-After\`).

**Errors** are \`{detail, code, msg}\`: \`code\` is for programs. What the trading rules refuse is no error but an answer of
\`exchange\` with status 200. A method that a path does not have is a 405 with \`Allow\`, an unknown path a 404.

**Repeating.** Where \`Idempotency-Key\` is taken, a repetition with the same key and body gets the first answer and does nothing.

**Operators.** Where ADMIN_PASSWORD is set, \`/admin/queues\` shows the jobs as a page, with HTTP basic authentication.`;

const TAGS: readonly { name: Endpoint['tag']; description: string }[] = [
  { name: 'Trading', description: 'The venue’s two endpoints.' },
  { name: 'Accounts', description: 'Users, credentials and the account as a whole. Times are ISO 8601 UTC, names snake_case.' },
  { name: 'Dashboard', description: 'What a dashboard reads. Open also when the trial is over.' },
  { name: 'Billing', description: 'Plans, invoices, discounts.' },
  { name: 'Operations', description: 'For those who run the service.' },
  { name: 'Documentation', description: 'This contract, and that of the WebSocket.' },
];

const whole = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
});
const HEADERS = {
  'X-RateLimit-Limit': whole('Requests a minute.', 200),
  'X-RateLimit-Remaining': whole('Requests left in this minute.', 199),
  'X-RateLimit-Reset': whole('When all are there again, seconds since the Unix epoch.', 1_795_262_460),
  'X-Request-Id': {
    description:
      'Names the request, in our logs too: the client’s `X-Request-Id`, else the trace of its `traceparent`, else one of ours.',
    required: true,
    schema: { type: 'string' },
    example: 'b5f0c1d2e3a4-1',
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string', pattern: '^\\d+$' }, example: '1' },
  'X-Market-Source': {
    description: 'Where market data comes from.',
    required: true,
    schema: { enum: ['live', 'emulated', 'replay'] },
  },
  'X-Account-Seq': {
    description: 'The newest entry of the account that the answer surely shows; absent where no account was asked.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
    example: 17,
  },
  'Set-Cookie': {
    description: 'The cookie of the browser’s session, for its next request here; empty when the session has ended.',
    required: true,
    schema: { type: 'string' },
    example: '__Secure-refresh=…; HttpOnly; Secure; SameSite=Strict; Path=/v1/auth/session; Max-Age=2592000',
  },
} as const;

const ref = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });
const ALWAYS_SENT = Object.fromEntries(
  (['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'] as const).map((name) => [name, ref(name)]),
);
const TOLD_WITH_SOURCE = { 'X-Market-Source': ref('X-Market-Source'), 'X-Account-Seq': ref('X-Account-Seq') };
const SETS_COOKIE = { 'Set-Cookie': ref('Set-Cookie') };
const REQUEST_ID = { $ref: '#/components/parameters/RequestId' };

const SECURITY: Readonly<Record<Endpoint['credential'], readonly object[]>> = {
  none: [],
  token: [{ accessToken: [] }],
  key: [{ apiKey: [] }],
  either: [{ accessToken: [] }, { apiKey: [] }],
  cookie: [{ sessionCookie: [] }],
};

interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export function openApi(endpoints: readonly Endpoint[]): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  const shared = new SharedParts();
  const add = (path: string, method: string, operation: object): void => {
    paths[path] = { parameters: [REQUEST_ID], ...paths[path], [method]: operation };
  };
  for (const endpoint of endpoints) add(toTemplate(endpoint.path), endpoint.method, operationOf(endpoint, shared));
  for (const endpoint of endpoints.filter(takesKeyInPath)) {
    add(withKey(toTemplate(endpoint.path)), endpoint.method, operationOf(endpoint, shared, { keyInPath: true }));
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Paper perpetuals exchange', version: VERSION, description: ABOUT },
    servers: [{ url: '/' }],
    tags: TAGS,
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(tradingComponents).map(([name, schema]) => [name, toPublished(schema)])),
      responses: shared.responses,
      requestBodies: shared.requestBodies,
      headers: HEADERS,
      parameters: {
        RequestId: {
          name: 'X-Request-Id',
          in: 'header',
          description:
            'The client’s own name for the request: 1 to 64 letters, digits, `_`, `.`, `:` or `-`. Another one is made where it has another form.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From login; for 24 hours.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'From `POST /v1/auth/api-keys`.' },
        sessionCookie: {
          ...{ type: 'apiKey', in: 'cookie', name: '__Secure-refresh' },
          description: 'From `POST /v1/auth/session`; no script reads it. By plain http its name is `refresh-<port>`.',
        },
      },
    },
  };
}

/** Bodies and answers that several operations have, each written once. */
class SharedParts {
  readonly responses: Record<string, object> = {};
  readonly requestBodies: Record<string, object> = {};
  readonly #names = new Map<string, string>();

  response(name: string, response: object): object {
    return this.#refer('responses', name, response);
  }

  requestBody(name: string, body: object): object {
    return this.#refer('requestBodies', name, body);
  }

  #refer(kind: 'responses' | 'requestBodies', wanted: string, part: object): object {
    const text = `${kind} ${JSON.stringify(part)}`;
    const name = this.#names.get(text) ?? this.#freeName(kind, wanted);
    this.#names.set(text, name);
    this[kind][name] = part;
    return { $ref: `#/components/${kind}/${name}` };
  }

  #freeName(kind: 'responses' | 'requestBodies', wanted: string): string {
    let name = wanted;
    for (let number = 2; name in this[kind]; number += 1) name = `${wanted}-${number}`;
    return name;
  }
}

/** The router's `:id` is OpenAPI's `{id}`. */
export const toTemplate = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const takesKeyInPath = (endpoint: Endpoint): boolean => endpoint.path.startsWith('/v1/exchanges/') && takesKey(endpoint);

const withKey = (path: string): string => path.replace('/{exchange}/', '/{exchange}/key/{api_key}/');

function operationOf(endpoint: Endpoint, shared: SharedParts, { keyInPath } = { keyInPath: false }): object {
  const { id, tag, summary, description, credential, body } = endpoint;
  return {
    operationId: keyInPath ? `${id}WithKeyInPath` : id,
    tags: [tag],
    summary: keyInPath ? `${summary} The key is in the path.` : summary,
    ...(description !== undefined && { description }),
    security: keyInPath ? [] : SECURITY[credential],
    ...(takesKey(endpoint) && { 'x-key-scope': scopeOf(endpoint) }),
    parameters: parametersOf(endpoint, keyInPath),
    ...(body && { requestBody: shared.requestBody(id, requestBodyOf(body)) }),
    responses: responsesOf(endpoint, shared),
  };
}

const requestBodyOf = ({ schema, examples, isOptional }: NonNullable<Endpoint['body']>): object => ({
  required: isOptional !== true,
  content: {
    'application/json': {
      schema: toPublished(schema),
      examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
    },
  },
});

function parametersOf({ path, params, query, headers, isIdempotent }: Endpoint, keyInPath: boolean): object[] {
  return [
    ...(path.includes(':exchange')
      ? [{ name: 'exchange', in: 'path', required: true, schema: { enum: [EXCHANGE] }, example: EXCHANGE }]
      : []),
    ...(keyInPath
      ? [{ name: 'api_key', in: 'path', required: true, description: 'An API key.', schema: { type: 'string', minLength: 1 } }]
      : []),
    ...fieldsOf(params, 'path'),
    ...fieldsOf(query, 'query'),
    ...fieldsOf(headers, 'header'),
    ...(isIdempotent
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'Makes a repetition safe.',
            schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
          },
        ]
      : []),
  ];
}

function fieldsOf(schema: TObject | undefined, place: 'path' | 'query' | 'header'): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    ...(schema?.required?.includes(name) && { required: true }),
    schema: toPublished(field),
  }));
}

function responsesOf(endpoint: Endpoint, shared: SharedParts): object {
  const { id, answer, path, tag } = endpoint;
  const { contentType = 'application/json', schema, example, about, status: goodStatus = 200, alsoStatus, setsCookie } = answer;
  const isTrading = tag === 'Trading' && endpoint.body !== undefined;
  const tellsSource = path.startsWith('/v1/exchanges/') && tag !== 'Accounts' && goodStatus === 200;
  const headers = {
    ...(goodStatus === 200 && ALWAYS_SENT),
    ...(tellsSource && TOLD_WITH_SOURCE),
    ...(setsCookie && SETS_COOKIE),
  };
  const content = (told: object): object => ({ [contentType]: { schema: told, ...(example !== undefined && { example }) } });
  const good = { description: about, headers, ...(schema && { content: content(toPublished(schema)) }) };
  const responses: Record<string, object> = { [goodStatus]: shared.response(id, good) };
  if (endpoint.isKept)
    responses[304] = shared.response('kept', { description: 'The client has it already.', headers: ALWAYS_SENT });
  for (const [status, codes] of Object.entries(errorsOf(endpoint))) {
    const error = toPublished(errorSchema(Number(status), codes, { isTrading }));
    const isSame = schema !== undefined && Number(status) === alsoStatus;
    const response = isSame
      ? { ...good, content: content({ anyOf: [toPublished(schema), error] }) }
      : {
          description: meaningOf(Number(status)),
          headers: errorHeaders(status),
          content: { 'application/json': { schema: error } },
        };
    responses[status] = shared.response(isSame ? `${id}-${status}` : `error-${status}`, response);
  }
  return responses;
}

const errorHeaders = (status: string): object => ({
  ...ALWAYS_SENT,
  ...((status === '429' || status === '503') && { 'Retry-After': ref('Retry-After') }),
});
