// The published contract, OpenAPI 3.1, made from the contracts beside each endpoint and from the schemas and errors that all share. So it
// describes the bodies that are read and the answers that are given.
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Endpoint } from '../contract/endpoint.ts';
import { errorsOf } from '../contract/errorResponses.ts';
import { namedOr, VERSION } from '../contract/named.ts';
import { PublishedSchemas } from '../contract/published.ts';
import { capitalized } from '../trading/tradingContract.ts';
import { HEADERS, isObject, Responses } from './responses.ts';

export const EXCHANGE = 'perpx';

/** Parameters of several operations. */
const PARAMETERS = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'The client’s own name for the request: 1 to 64 letters, digits, `_`, `.`, `:` or `-`. Another one is made where it has another form.',
    schema: { type: 'string' },
  },
  Exchange: {
    name: 'exchange',
    in: 'path',
    required: true,
    description: 'The exchange: there is one.',
    schema: { type: 'string', const: EXCHANGE },
    example: EXCHANGE,
  },
  ApiKeyInPath: {
    name: 'api_key',
    in: 'path',
    required: true,
    description: 'An API key.',
    schema: { type: 'string', minLength: 1 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a repetition safe.',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  },
} as const;

const sharedParameter = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

const SECURITY: Readonly<Record<Endpoint['credential'], readonly object[]>> = {
  none: [],
  token: [{ accessToken: [] }],
  either: [{ accessToken: [] }, { apiKey: [] }],
  cookie: [{ sessionCookie: [] }],
};

class Operations {
  readonly schemas = PublishedSchemas.ofOpenApi();
  readonly responses = new Responses(this.schemas);
  readonly requestBodies: Record<string, object> = {};

  make(endpoint: Endpoint, { keyInPath } = { keyInPath: false }): object {
    const { id, tag, summary, description, credential, body } = endpoint;
    return {
      operationId: keyInPath ? `${id}WithKeyInPath` : id,
      tags: [tag],
      summary: keyInPath ? `${summary} The key is in the path.` : summary,
      ...(description !== undefined && { description }),
      security: keyInPath ? [] : SECURITY[credential],
      ...(endpoint.scope && { 'x-key-scope': endpoint.scope }),
      parameters: this.#parametersOf(endpoint, keyInPath),
      ...(body && { requestBody: this.#bodyOf(id, body) }),
      responses: this.responses.of(endpoint),
      'x-error-codes': errorsOf(endpoint),
    };
  }

  #bodyOf(id: string, { schema, examples, isOptional }: NonNullable<Endpoint['body']>): object {
    const name = capitalized(id);
    this.requestBodies[name] = {
      required: isOptional !== true,
      content: {
        'application/json': {
          schema: this.schemas.publish(isObject(schema) ? namedOr(`${name}Request`, schema) : schema),
          examples: Object.fromEntries(Object.entries(examples).map(([example, value]) => [example, { value }])),
        },
      },
    };
    return { $ref: `#/components/requestBodies/${name}` };
  }

  #parametersOf({ path, params, query, headers, isIdempotent }: Endpoint, keyInPath: boolean): object[] {
    return [
      ...(path.includes(':exchange') ? [sharedParameter('Exchange')] : []),
      ...(keyInPath ? [sharedParameter('ApiKeyInPath')] : []),
      ...this.#fieldsOf(params, 'path'),
      ...this.#fieldsOf(query, 'query'),
      ...this.#fieldsOf(headers, 'header'),
      ...(isIdempotent ? [sharedParameter('IdempotencyKey')] : []),
    ];
  }

  #fieldsOf(schema: TObject | undefined, place: 'path' | 'query' | 'header'): object[] {
    return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
      const { description, ...told } = field;
      return {
        name,
        in: place,
        ...(schema?.required?.includes(name) && { required: true }),
        ...(description !== undefined && { description }),
        schema: this.schemas.publish(told as TSchema),
      };
    });
  }
}

const ABOUT = `A paper-trading exchange for perpetual futures that speaks Hyperliquid’s public API: a client of the venue works with
\`…/v1/exchanges/${EXCHANGE}\` as its base address. Money is paper.

**Credentials.** An API key in the header \`X-API-Key\` or in the path (\`/v1/exchanges/${EXCHANGE}/key/<key>/…\`, for clients that
send no header); an access token as \`Authorization: Bearer <token>\`. Where both come, each
endpoint takes the one it wants, and the request counts for the key. A key may be limited to scopes (\`x-key-scope\` says which one an
endpoint needs; \`any\`: \`read\` or \`trade\`), to addresses, and in time.

**Limits.** Every answer tells the caller’s limit (\`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\`), a 429 also when to come back
(\`Retry-After\`).

**Errors** are \`{detail, code, msg}\`: \`code\` is for programs; \`x-error-codes\` of an operation has its own, by status. What
the trading rules refuse is no error but an answer of \`exchange\` with status 200. A method that a path does not have is a 405 with \`Allow\`, an unknown path a 404.

**Repeating.** Where \`Idempotency-Key\` is taken, a repetition with the same key and body gets the first answer and does nothing.

**Operators.** Where ADMIN_PASSWORD is set, \`/admin/queues\` shows the jobs as a page, with HTTP basic authentication.`;

const TAGS: readonly { name: Endpoint['tag']; description: string }[] = [
  { name: 'Trading', description: 'The venue’s two endpoints.' },
  {
    name: 'Users',
    description: 'Registering, logging in, and what belongs to a user. Times are ISO 8601 UTC, names snake_case.',
  },
  { name: 'API keys', description: 'What bots trade with.' },
  { name: 'Accounts', description: 'The trading account as a whole.' },
  { name: 'Alerts', description: 'What happens in an account, sent to webhooks of its user. docs/alerts.md has the messages.' },
  { name: 'Dashboard', description: 'What a dashboard reads. Open also when the trial is over.' },
  { name: 'Dashboard pages', description: 'The dashboard itself, for a browser. It uses nothing but this contract.' },
  { name: 'Billing', description: 'Plans, invoices, discounts.' },
  { name: 'Operations', description: 'For those who run the service.' },
  {
    name: 'Operators',
    description: 'For users with the role `operator`, and their keys with the scopes `admin:read` and `admin:write`.',
  },
  { name: 'Documentation', description: 'This contract, and that of the WebSocket.' },
];

interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** @param options.publicUrl where users see the deployment: what clients made from the document connect to */
export function openApi(endpoints: readonly Endpoint[], { publicUrl }: { readonly publicUrl: string }): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  const operations = new Operations();
  const add = (path: string, method: string, operation: object): void => {
    paths[path] = { parameters: [sharedParameter('RequestId')], ...paths[path], [method]: operation };
  };
  for (const endpoint of endpoints) add(toTemplate(endpoint.path), endpoint.method, operations.make(endpoint));
  for (const endpoint of endpoints.filter(takesKeyInPath)) {
    add(withKey(toTemplate(endpoint.path)), endpoint.method, operations.make(endpoint, { keyInPath: true }));
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Paper perpetuals exchange', version: VERSION, description: ABOUT },
    servers: [
      { url: publicUrl.replace(/\/+$/, ''), description: 'Where users see this deployment.' },
      { url: '/', description: 'Where this document came from.' },
    ],
    tags: TAGS.filter(({ name }) => endpoints.some(({ tag }) => tag === name)),
    paths,
    components: {
      schemas: operations.schemas.components(),
      responses: operations.responses.shared(),
      requestBodies: operations.requestBodies,
      headers: HEADERS,
      parameters: PARAMETERS,
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

/** The router's `:id` is OpenAPI's `{id}`. */
export const toTemplate = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const takesKeyInPath = (endpoint: Endpoint): boolean =>
  endpoint.path.startsWith('/v1/exchanges/') && endpoint.scope !== undefined;

const withKey = (path: string): string => path.replace('/{exchange}/', '/{exchange}/key/{api_key}/');
