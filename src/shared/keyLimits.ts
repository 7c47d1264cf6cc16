// What an API key may be limited to: what it may do, until when, and from where.

/** `read`: look at the market and the account. `trade`: change the account. */
export const KEY_SCOPES = ['read', 'trade'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** An absent field is no limit; keys of builds before there were limits have none. */
export interface KeyLimits {
  readonly scopes?: readonly KeyScope[];
  readonly expiresAt?: Date;
  /** Addresses and networks in their usual form: `192.0.2.7`, `2001:db8::/32`. */
  readonly addresses?: readonly string[];
}

export const hasLimits = ({ scopes, expiresAt, addresses }: KeyLimits): boolean =>
  scopes !== undefined || expiresAt !== undefined || addresses !== undefined;
