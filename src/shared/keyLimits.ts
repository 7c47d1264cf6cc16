// What an API key may be limited to: what it may do, until when, from where, and how far it may trade.
import type { TradeLimits } from './domain/access/tradeLimits.ts';

/** `read`: look at the market and the account. `trade`: change the account. A key without a list of scopes has these. */
export const USER_SCOPES = ['read', 'trade'] as const;
/** What is below /v1/admin: looking, and acting. A key has them only where its list says so and its user is an operator. */
export const ADMIN_SCOPES = ['admin:read', 'admin:write'] as const;
export const KEY_SCOPES = [...USER_SCOPES, ...ADMIN_SCOPES] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** An absent field is no limit. */
export interface KeyLimits {
  readonly scopes?: readonly KeyScope[];
  readonly expiresAt?: Date;
  /** Addresses and networks in their usual form: `192.0.2.7`, `2001:db8::/32`. */
  readonly addresses?: readonly string[];
  /** How far it may trade. */
  readonly trade?: TradeLimits;
}
