// Limits of trading in their stored form: the limits of one API key, and the house rules of an account.

/**
 * How far an API key may trade, whatever the account could bear. The numbers are stored with the key and travel with each of its
 * commands; the owner of the account holds the key to them.
 */
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

/** Acts when a rule is broken: the user is warned; beside that the account opens nothing more; beside that it closes all that is open. */
export const RULE_ACTS = ['warn', 'refuse', 'close'] as const;
export type RuleAct = (typeof RULE_ACTS)[number];

/** House rules of an account: what its user wants of it, whichever key or program trades. The account itself holds to them. */
export interface AccountLimits {
  /** The largest loss of the account in a UTC day, USD. */
  readonly dailyLoss?: { readonly usd: string; readonly act: RuleAct };
  /** How far the account may be below the highest value that it had under these rules, percent of that value. */
  readonly drawdown?: { readonly percent: string; readonly act: RuleAct };
  /** When it may have anything open: minutes of the UTC day, `from` included and `to` not; over midnight when `to` is the smaller one. */
  readonly hours?: { readonly fromMinute: number; readonly toMinute: number; readonly act: RuleAct };
  /** The only coins that it may have anything open in. */
  readonly coins?: { readonly only: readonly string[]; readonly act: RuleAct };
}

export type LimitName = keyof AccountLimits;

const MINUTES_OF_HOUR = 60;

/** A minute of the day, `08:30`. */
export function minuteText(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / MINUTES_OF_HOUR))}:${two(minute % MINUTES_OF_HOUR)}`;
}
