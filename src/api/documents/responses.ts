// The answers of operations in the published contract: the good one, and the errors, one of each status for all operations.
import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, errorSchema, errorsOf, meaningOf } from '../contract/errorResponses.ts';
import { namedOr } from '../contract/named.ts';
import type { PublishedSchemas } from '../contract/published.ts';
import { capitalized, refTo } from '../trading/tradingContract.ts';

const whole = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
});
export const HEADERS = {
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
    schema: refTo('MarketSource'),
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
const SETS_COOKIE = { 'Set-Cookie': ref('Set-Cookie') };
const TOLD_WITH_SOURCE = { 'X-Market-Source': ref('X-Market-Source'), 'X-Account-Seq': ref('X-Account-Seq') };
const JSON_TYPE = 'application/json';

/** Where clients of the venue ask: an error there has the venue's form, too. */
const BODIES_OF_VENUE = /\/(info|exchange)$/;

/** The answers of the operations of one document. */
export class Responses {
  readonly #schemas: PublishedSchemas;
  readonly #shared = new Map<string, object>();

  constructor(schemas: PublishedSchemas) {
    this.#schemas = schemas;
  }

  /** Those of one operation, by status. */
  of(endpoint: Endpoint): Record<string, object> {
    const { answer, isKept } = endpoint;
    const responses: Record<string, object> = { [answer.status ?? 200]: this.#good(endpoint, []) };
    if (answer.emptyStatus !== undefined) {
      responses[answer.emptyStatus] = this.#refer('NothingToAnswer', {
        description: 'Done, and nothing to answer.',
        headers: ALWAYS_SENT,
      });
    }
    if (isKept) {
      responses[304] = this.#refer('NotModified', { description: 'The client has it already.', headers: ALWAYS_SENT });
    }
    for (const status of Object.keys(errorsOf(endpoint)).map(Number)) {
      responses[status] =
        status === answer.alsoStatus ? this.#good(endpoint, [ApiError]) : this.#error(status, isTrading(endpoint));
    }
    return responses;
  }

  /** Those that operations refer to. */
  shared(): Record<string, object> {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @param orElse bodies that it may have as well */
  #good({ id, answer, path, tag }: Endpoint, orElse: readonly TSchema[]): object {
    const { contentType = JSON_TYPE, schema, example, about, status = 200, setsCookie } = answer;
    const tellsSource = path.startsWith('/v1/exchanges/') && tag !== 'Accounts' && status === 200;
    const headers = {
      ...(status === 200 && ALWAYS_SENT),
      ...(tellsSource && TOLD_WITH_SOURCE),
      ...(setsCookie && SETS_COOKIE),
    };
    const told = schema && this.#schemas.publish(isObject(schema) ? namedOr(`${capitalized(id)}Answer`, schema) : schema);
    const all = orElse.length === 0 ? told : { anyOf: [told, ...orElse.map((other) => this.#schemas.publish(other))] };
    const body = { schema: all, ...(example !== undefined && { example }) };
    const content = Object.fromEntries([contentType].flat().map((type) => [type, body]));
    return { description: about, headers, ...(schema && { content }) };
  }

  /** One for each status, but for the two that have more to say where the venue speaks. */
  #error(status: number, trading: boolean): object {
    const [name, description] = meaningOf(status);
    const schema = errorSchema(status, { isTrading: trading });
    return this.#refer(schema === ApiError ? name : `Trading${name}`, {
      description,
      headers: { ...ALWAYS_SENT, ...((status === 429 || status === 503) && { 'Retry-After': ref('Retry-After') }) },
      content: { [JSON_TYPE]: { schema: this.#schemas.publish(schema) } },
    });
  }

  #refer(name: string, response: object): object {
    this.#shared.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}

const isTrading = ({ tag, path }: Endpoint): boolean => tag === 'Trading' && BODIES_OF_VENUE.test(path);

export const isObject = ({ type }: TSchema): boolean => type === 'object';
