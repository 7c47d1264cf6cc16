// The one table of who may do what. An endpoint names the rules that it asks by, and the table says how each rule refuses. The checks
// take status and code from here (`mayNot`), the contract publishes them, the compiler lets an endpoint name no other 401 or 403, and
// docs/whoMay.md shows rules and endpoints.

import { RequestError } from '../../shared/errors.ts';
import type { KeyScope } from '../../shared/mongo/keyStore.ts';

interface Rule {
  /** For docs/whoMay.md. */
  readonly passes: string;
  /** Codes by status. */
  readonly refusals: Readonly<Partial<Record<401 | 403, readonly string[]>>>;
}

/** The first four rules are credentials: each endpoint has one. It names further rules as `asks`. */
export const WHO_MAY = {
  none: { passes: 'everybody', refusals: {} },
  token: { passes: 'a user, by the access token of a session that has not ended', refusals: { 401: ['invalid_token'] } },
  either: {
    passes: 'an access token, or an API key by its scopes and addresses',
    refusals: { 401: ['invalid_credential'], 403: ['insufficient_scope', 'address_not_allowed'] },
  },
  cookie: { passes: 'a browser, by the cookie of its session', refusals: { 401: ['invalid_session'] } },
  trader: { passes: 'as `either`; a request that shows no token is asked for a key', refusals: { 401: ['invalid_api_key'] } },
  paid: {
    passes: 'a user whose trial or paid time is not over',
    refusals: { 403: ['trial_expired', 'subscription_expired'] },
  },
  unlimitedKey: { passes: 'an API key without limits of trading, or an access token', refusals: { 403: ['limited_key'] } },
  unboundKey: { passes: 'an API key that is bound to no account, or an access token', refusals: { 403: ['bound_key'] } },
  verified: {
    passes: 'a user whose e-mail address is verified, where the deployment or the channel asks for it',
    refusals: { 403: ['email_not_verified'] },
  },
  password: { passes: 'a user who gives the password', refusals: { 401: ['invalid_credentials'] } },
  secondFactor: {
    passes: 'a user without a second factor, or with a code; for some acts a recent one',
    refusals: { 401: ['second_factor_required', 'invalid_second_factor'] },
  },
  newFactor: { passes: 'a user with a code of the second factor that was begun', refusals: { 401: ['invalid_second_factor'] } },
  operator: { passes: 'an operator', refusals: { 403: ['not_operator'] } },
  confirmed: {
    passes: 'a session that has confirmed the operator’s password in the last 15 minutes, or an API key with the scope',
    refusals: { 403: ['confirmation_required'] },
  },
  grant: {
    passes: 'every user; for a key with scopes of operators: an operator who has confirmed the password',
    refusals: { 403: ['not_operator', 'confirmation_required'] },
  },
  ownPage: { passes: 'a page of this deployment', refusals: { 403: ['cross_site'] } },
  ownMachine: { passes: 'a browser, where no other machine reaches the exchange', refusals: { 403: ['only_on_this_machine'] } },
  link: { passes: 'a one-time link of the last hour, for a user without a second factor', refusals: { 401: ['invalid_link'] } },
  allowedOrigin: {
    passes: 'a program, or a page of this deployment or of `CORS_ORIGINS`',
    refusals: { 403: ['origin_not_allowed'] },
  },
} as const satisfies Readonly<Record<string, Rule>>;

type RuleName = keyof typeof WHO_MAY;
type Credential = 'none' | 'token' | 'either' | 'cookie';

/** The scope of an API key that an endpoint needs. `any`: one of a user's scopes, and the endpoint goes by which. */
export type NeededScope = KeyScope | 'any';

/** The rules of an endpoint. */
export type Access = {
  /** Rules beside the credential. */
  readonly asks?: readonly Exclude<RuleName, Credential>[];
} & (
  | { readonly credential: Exclude<Credential, 'either'>; readonly scope?: never }
  | { readonly credential: 'either'; readonly scope: NeededScope }
);

/** The names of the rules of an endpoint, its credential first. */
export const rulesOf = ({ credential, asks = [] }: Access): readonly RuleName[] => [credential, ...asks];

type CodesOf<Refusals> = Refusals extends unknown ? Extract<Refusals[keyof Refusals], readonly string[]>[number] : never;
type RefusalCode = CodesOf<(typeof WHO_MAY)[RuleName]['refusals']>;

const STATUS_OF = Object.fromEntries(
  Object.values<Rule>(WHO_MAY).flatMap(({ refusals }) =>
    Object.entries(refusals).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)])),
  ),
) as Readonly<Record<RefusalCode, number>>;

/** The refusal of a rule, with the status of the table. @param code of the rule */
export const mayNot = (code: RefusalCode, text: string, headers?: Readonly<Record<string, string>>): RequestError =>
  new RequestError(STATUS_OF[code], code, text, headers);
