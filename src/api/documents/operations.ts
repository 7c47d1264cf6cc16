// The operations of the published contract, made from the contracts beside the endpoints, with what they share: schemas, bodies and errors.
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Endpoint } from '../contract/endpoint.ts';
import { errorsOf } from '../contract/errorResponses.ts';
import { namedOr } from '../contract/named.ts';
import { PublishedSchemas } from '../contract/published.ts';
import { capitalized } from '../trading/tradingContract.ts';
import { isObject, Responses } from './responses.ts';

export const EXCHANGE = 'perpx';

/** Parameters of several operations. */
export const PARAMETERS = {
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

export const sharedParameter = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

const SECURITY: Readonly<Record<Endpoint['credential'], readonly object[]>> = {
  none: [],
  token: [{ accessToken: [] }],
  either: [{ accessToken: [] }, { apiKey: [] }],
  cookie: [{ sessionCookie: [] }],
};

export class Operations {
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
