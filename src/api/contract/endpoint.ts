// An endpoint as the published contract describes it. It stands beside the code that answers (http/endpoint.ts) and contains
// the schema that reads the request. openApi.ts adds what all endpoints have in common (limits, credentials, broken bodies).
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Price } from '../domain/requestPrice.ts';
import type { Access } from './whoMay.ts';

export type Tag =
  | 'Trading'
  | 'Users'
  | 'API keys'
  | 'Accounts'
  | 'Alerts'
  | 'Dashboard'
  | 'Dashboard pages'
  | 'Billing'
  | 'Operations'
  | 'Operators'
  | 'Documentation';

/** Machine-readable codes of an endpoint's own errors, by status, beside the refusals of its rules (whoMay.ts). */
export type ErrorCodes = Readonly<Record<number, readonly string[]>> & { readonly 401?: never; readonly 403?: never };

interface Described {
  /** `operationId` of the contract. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** The path as the router has it: `/v1/auth/api-keys/:id`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** What a request costs before its body is read: the least that a request of the endpoint costs. */
  readonly price: Price;
  /** Parameters in the path other than `exchange`. */
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: {
    readonly schema: TSchema;
    /** Examples by name; a test sends each of them. */
    readonly examples: Readonly<Record<string, unknown>>;
    readonly isOptional?: true;
  };
  readonly answer: {
    readonly about: string;
    /** The status of a success; absent = 200. */
    readonly status?: number;
    /** Absent: there is no body. */
    readonly schema?: TSchema;
    readonly example?: unknown;
    /** Another type than JSON, or several, one of which an answer has. */
    readonly contentType?: string | readonly string[];
    /** Another status with the same body. */
    readonly alsoStatus?: number;
    /** A success without a body has this status. */
    readonly emptyStatus?: number;
    /** A success gives the browser a cookie, or has it forget one. */
    readonly setsCookie?: true;
  };
  readonly errors?: ErrorCodes;
  /** The same for all who ask: compressed, and 304 to a client that has it. */
  readonly isKept?: true;
  /** Takes the header `Idempotency-Key`. */
  readonly isIdempotent?: true;
  /** Sends a command or a question to the account's actor. */
  readonly reachesAccount?: true;
}

export type Endpoint = Described & Access;
