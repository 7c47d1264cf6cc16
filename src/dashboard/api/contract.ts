// Answers of the API as its contract describes them. Made by test/dashboard/contract.test.ts with UPDATE_DOCS=1 from the contract
// and from what the dashboard's files import from here; never edited by hand.

export type PositionSide = 'long' | 'short';
export type MarginMode = 'cross' | 'isolated';
export type KeyScope = 'read' | 'trade' | 'admin:read' | 'admin:write';
export type ApiKeyStatus = 'active' | 'expired';
export type AuditOutcome = 'ok' | 'refused';
export type BillingPeriod = 'month' | 'year';
export type DiscountKind = 'percent' | 'amount';
export type DiscountScope = 'first' | 'all';
export type GrantedRole = 'operator';
export type MarketSource = 'live' | 'emulated' | 'replay';
export type HealthStatus = 'ok' | 'degraded' | 'unavailable';
export type InvoiceStatus = 'open' | 'paid' | 'expired' | 'void' | 'refunded' | 'disputed';
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
export interface AuditEntry {
  readonly id: string;
  /**
   * ISO 8601, UTC.
   */
  readonly time: string;
  readonly action: string;
  /**
   * `user`, `key:<id>`, `operator`, `operator:<user id>`, `job:<name>`, `provider:<name>`, `several` for a count, …
   */
  readonly actor: string;
  /**
   * Network address the request came from.
   */
  readonly address: string | null;
  readonly outcome: AuditOutcome;
  readonly detail: string | null;
}
export interface AuditPage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: AuditEntry[];
}
export interface Balance {
  readonly message: string;
  /**
   * As in the overview: account value less unrealized PnL, USD.
   */
  readonly balance: string;
  /**
   * What was deposited for that, USD; negative for money that was taken away.
   */
  readonly change: string;
}
export interface Discount {
  /**
   * A code of 1 to 64 letters, digits, _ or -.
   */
  readonly code: string;
  readonly kind: DiscountKind;
  /**
   * Whole percent as a number, or USD as text.
   */
  readonly value: number | string;
  /**
   * The first payment, or all.
   */
  readonly applies_to: 'first' | 'all';
  readonly expires_at: string | null;
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
export interface Invoice {
  readonly id: string;
  readonly status: InvoiceStatus;
  readonly plan: PlanName;
  readonly period: BillingPeriod;
  /**
   * USD with two decimals.
   */
  readonly amount_usd: string;
  /**
   * USD with two decimals.
   */
  readonly discount_usd: string;
  /**
   * Where an open invoice is paid; null while the provider has not said, and when it is over.
   */
  readonly pay_url: string | null;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly expires_at: string;
  readonly paid_at: string | null;
}
export interface InvoicePage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: Invoice[];
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
export interface Plan {
  readonly id: PlanName;
  /**
   * USD with two decimals.
   */
  readonly price_usd: string;
  readonly period: 'month';
  readonly requests_per_minute: number;
  readonly max_api_keys: number;
  /**
   * USD with two decimals.
   */
  readonly balance_usd: string;
  readonly history_days: number;
}
export interface PlanList {
  readonly plans: Plan[];
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
export interface RecoveryCodes {
  /**
   * Each is good once, in place of a code of the authenticator.
   */
  readonly recovery_codes: string[];
  readonly message: string;
}
export interface SecondFactor {
  readonly enabled: boolean;
  readonly enabled_at: string | null;
  readonly recovery_codes_left: number;
}
export interface Session {
  /**
   * Id of a session.
   */
  readonly id: string;
  /**
   * When the user logged in.
   */
  readonly created_at: string;
  /**
   * Up to a minute old.
   */
  readonly last_used_at: string;
  /**
   * When it ends unless it is used or refreshed until then: without a cookie with its last token at the latest.
   */
  readonly expires_at: string;
  /**
   * Network address of the login or of the last refresh.
   */
  readonly address: string;
  /**
   * What the client called itself then.
   */
  readonly agent: string;
  /**
   * Whether the request came with a token of this session.
   */
  readonly current: boolean;
}
export interface SessionList {
  readonly sessions: Session[];
}
export interface Subscription {
  readonly plan: PlanName;
  readonly status: SubscriptionStatus;
  /**
   * ISO 8601, UTC.
   */
  readonly trial_expires_at: string;
  readonly current_period_end: string | null;
  readonly cancel_at_period_end: boolean;
}
export interface TotpSecret {
  /**
   * In base32.
   */
  readonly secret: string;
  /**
   * The same for a QR code.
   */
  readonly uri: string;
}
