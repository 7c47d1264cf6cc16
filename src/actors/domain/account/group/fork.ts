// Where a fork comes from: a sub-account that began with the state of an entry of another account of its user.
import type { Decimal } from '../../../../shared/domain/decimal.ts';
import type { ForkOrigin } from '../../messages/command.ts';

/** What a fork knows of its beginning. A reset ends it: the account is none any more. */
export interface Fork extends ForkOrigin {
  /** Time of the entry. */
  readonly timeMs: number;
  /** Balance that the fork began with, USD: cash, isolated margins and positions at their cost. No other account has lost it. */
  readonly usd: Decimal;
}

export const isSameOrigin = (a: ForkOrigin, b: ForkOrigin): boolean => a.of === b.of && a.seq === b.seq && a.hash === b.hash;
