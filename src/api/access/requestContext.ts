// What the request pipeline knows about a request before an endpoint sees it.
import type { RouterContext } from '@koa/router';
import { RequestError } from '../../shared/errors.ts';
import type { Span } from '../../shared/tracing/tracing.ts';
import type { LimitUsage } from '../accounts/services.ts';
import type { TokenClaims } from './accessTokens.ts';
import type { KeyRecord } from './keys/keyRecord.ts';
import type { Budget } from './limits/budget.ts';
import type { Held } from './limits/heldBytes.ts';

export interface RequestContext {
  readonly requestId: string;
  /** Where the request is traced. */
  readonly trace?: Span | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** The record of a valid API key that may be used from the client's address. */
  readonly key?: KeyRecord;
  /** The API key is valid and may not be used from the client's address. */
  readonly isKeyElsewhere?: true;
  /** The claims of a valid access token; not read beside a key that is unknown or not allowed. */
  readonly token?: TokenClaims;
  /** The user of the token, where no key came along. */
  readonly holder?: KeyRecord;
  readonly limit: LimitUsage;
  /** The windows in which the request counts. */
  readonly budget: Budget;
}

/** What the parts that handle a request tell each other of it. */
export interface RequestState {
  request: RequestContext;
  /** The path without the API key, in its usual spelling. */
  path?: string;
  /** A failure lab has drawn how it ends. */
  isDrawn?: true;
  /** What its body holds. */
  held?: Held;
  /** The limit that the answer tells, also where the request was not admitted. */
  limit?: LimitUsage;
  /** Headers of an endpoint's own, names and values in turn: a refusal has them too. */
  headers?: string[];
  /** The answer as JSON text, where it is written in one piece (answerJson.ts). */
  text?: string;
}

/** An admitted request in a route. */
export type RouteContext = RouterContext<RequestState>;

/** @throws {RequestError} 401 when the request came without a valid access token */
export function requireToken(ctx: RouteContext): TokenClaims {
  const { token } = ctx.state.request;
  if (token === undefined) throw new RequestError(401, 'invalid_token', 'A valid access token is required: log in.');
  return token;
}

/**
 * For whom a request trades or asks: the owner of its API key, or else of its access token.
 * @throws {RequestError} 401 without either
 */
export function requireTrader(ctx: RouteContext): KeyRecord {
  const { key, holder } = ctx.state.request;
  const trader = key ?? holder;
  if (trader !== undefined) return trader;
  // A page learns by it that its token is over.
  if (!ctx.get('authorization').startsWith('Bearer '))
    throw new RequestError(401, 'invalid_api_key', 'A valid API key is required.');
  throw new RequestError(401, 'invalid_credential', 'A valid API key or access token is required.');
}
