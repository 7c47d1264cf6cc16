// The caller of a request: the user, and the account of the request.
import type { KeyGuard } from '../../shared/domain/limits.ts';
import type { Plan } from '../../shared/domain/plan.ts';

/** The owner of the API key, or else of the access token, that came with the request. */
export interface Caller {
  readonly userId: string;
  /** The account's 0x address, 40 hex digits in lower case; equal to `address`. */
  readonly accountId: string;
  readonly address: string;
  /** The user's master account: the same, or that of which the account is a sub-account. */
  readonly master: string;
  /** The key reaches this account alone, whatever a request says. */
  readonly isBound?: true;
  readonly plan: Plan;
  /** Id of the key; the key itself never leaves the request pipeline. Empty where a token came. */
  readonly keyId: string;
  /** How far the key may trade, where it is limited. */
  readonly guard?: KeyGuard;
}

export const isSubAccount = ({ accountId, master }: Pick<Caller, 'accountId' | 'master'>): boolean => accountId !== master;
