// Answers of the API as its contract describes them. Made by test/dashboard/contract.test.ts with UPDATE_DOCS=1 from the contract
// and from what the dashboard's files import from here; never edited by hand.

export type KeyScope = 'read' | 'trade';
export type ApiKeyStatus = 'active' | 'expired';
export type PlanName = 'basic' | 'pro';
export type SubscriptionStatus = 'trial' | 'active' | 'past_due' | 'expired';

export interface ApiKey {
  /**
   * Id of an API key.
   */
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  /**
   * `expired`: its time is over. It stays in the list until a new key needs its place.
   */
  readonly status: 'active' | 'expired';
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  readonly last_used_at: string | null;
  /**
   * From then on the key is good for nothing; null = no end.
   */
  readonly expires_at: string | null;
  /**
   * What it may do: look (`read`), change the account (`trade`).
   */
  readonly scopes: KeyScope[];
  /**
   * Where it may be used from: addresses and networks; null = anywhere.
   */
  readonly addresses: string[] | null;
}
export interface ApiKeyList {
  readonly api_keys: ApiKey[];
}
export interface NewApiKey {
  /**
   * For the header `X-API-Key`, or the path.
   */
  readonly api_key: string;
  /**
   * Id of an API key.
   */
  readonly id: string;
  readonly name: string;
  /**
   * From then on the key is good for nothing; null = no end.
   */
  readonly expires_at: string | null;
  /**
   * What it may do: look (`read`), change the account (`trade`).
   */
  readonly scopes: KeyScope[];
  /**
   * Where it may be used from: addresses and networks; null = anywhere.
   */
  readonly addresses: string[] | null;
  readonly message: string;
}
export interface Profile {
  /**
   * Id of a user.
   */
  readonly id: string;
  readonly email: string;
  /**
   * A link in a mail to the address was opened.
   */
  readonly email_verified: boolean;
  readonly plan: PlanName;
  /**
   * Address of the trading account.
   */
  readonly address: string;
  readonly subscription_status: SubscriptionStatus;
  /**
   * ISO 8601, UTC.
   */
  readonly trial_expires_at: string;
  readonly subscription_expires_at: string | null;
  readonly payment_required: boolean;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
}
