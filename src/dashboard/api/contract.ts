// Answers of the API as its contract describes them. Made by test/dashboard/contract.test.ts with UPDATE_DOCS=1 from the contract
// and from what the dashboard's files import from here; never edited by hand.

export type PositionSide = 'long' | 'short';
export type MarginMode = 'cross' | 'isolated';
export type KeyScope = 'read' | 'trade' | 'admin:read' | 'admin:write';
export type ApiKeyStatus = 'active' | 'expired';
export type GrantedRole = 'operator';
export type MarketSource = 'live' | 'emulated' | 'replay';
export type HealthStatus = 'ok' | 'degraded' | 'unavailable';
export type PlanName = 'basic' | 'pro';
export type SubscriptionStatus = 'trial' | 'active' | 'past_due' | 'expired';

export interface AccountPosition {
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: PositionSide;
  /**
   * Coins.
   */
  readonly size: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly entry_price: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly mark_price: string;
  /**
   * USD at the mark.
   */
  readonly notional: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly return_on_equity: string;
  readonly leverage: number;
  readonly margin_mode: MarginMode;
  /**
   * A decimal number as text, always with a point.
   */
  readonly margin_used: string;
  readonly liquidation_price: string | null;
  /**
   * Since the position was opened, USD; > 0 = received.
   */
  readonly funding: string;
}
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
   * What it may do: look (`read`), change the account (`trade`); of operators: `admin:read`, `admin:write`.
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
export interface Health {
  /**
   * degraded: orders are taken, something else is away. unavailable: no orders are taken.
   */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /**
   * The answer is made once a second.
   */
  readonly as_of: string;
  readonly market: MarketCondition;
}
export interface MarketCondition {
  readonly source: MarketSource;
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
   * What it may do: look (`read`), change the account (`trade`); of operators: `admin:read`, `admin:write`.
   */
  readonly scopes: KeyScope[];
  /**
   * Where it may be used from: addresses and networks; null = anywhere.
   */
  readonly addresses: string[] | null;
  readonly message: string;
}
export interface Overview {
  /**
   * A decimal number as text, always with a point.
   */
  readonly account_value: string;
  /**
   * Account value less unrealized PnL.
   */
  readonly balance: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly margin_used: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly withdrawable: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly realized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees_paid: string;
  /**
   * > 0 = paid by the account.
   */
  readonly funding_paid: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly net_deposits: string;
  readonly open_orders: number;
  readonly positions: AccountPosition[];
  readonly plan: PlanName;
  /**
   * ISO 8601, UTC.
   */
  readonly as_of: string;
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
   * What the user may do beside being one.
   */
  readonly roles: GrantedRole[];
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
}
