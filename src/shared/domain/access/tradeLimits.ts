// How far an API key may trade, whatever the account could bear. The numbers are stored with the key and travel with each of its
// commands; the owner of the account holds the key to them.

export interface TradeLimits {
  /** The largest order, USD. */
  readonly orderUsd?: string;
  /** The largest leverage. */
  readonly leverage?: number;
  /** The loss of the account in a UTC day from which on the key opens nothing more, USD. */
  readonly dailyLossUsd?: string;
  /** Orders in any 60 seconds. */
  readonly ordersPerMinute?: number;
}

/** The limits of one key, as its commands carry them. */
export interface KeyGuard extends TradeLimits {
  readonly keyId: string;
}
