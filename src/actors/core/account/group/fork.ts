// Where a fork comes from: a sub-account that began with the state of an entry of another account of its user.
import type { Decimal } from '../../../../shared/domain/decimal.ts';
import type { ForkOrigin } from '../../messages/command.ts';
import { areSameTerms } from './terms.ts';

/** What a fork knows of its beginning. A reset ends it: the account is none any more. */
export interface Fork extends ForkOrigin {
  /** Time of the entry. */
  readonly timeMs: number;
  /** Balance that the fork began with, USD: cash, isolated margins and positions at their cost. No other account has lost it. */
  readonly usd: Decimal;
  /** Of a what-if: how many commands of its source it has had. */
  readonly received?: number | undefined;
}

export const isSameOrigin = (a: ForkOrigin, b: ForkOrigin): boolean =>
  a.of === b.of && a.seq === b.seq && a.hash === b.hash && areSameTerms(a.terms, b.terms);
