// What requests need to know of who asks: the user, how far it is paid for, and what the key may do. The owner of an access
// token has the same record, of a key without limits and without an id.
import type { LabProfile } from '../../../shared/domain/labProfile.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { Caller } from '../../accounts/services.ts';
import type { KeyLimitRecord } from './keyLimits.ts';

/** The owner of a valid key or token, and the key's limits. */
export interface KeyRecord extends KeyLimitRecord {
  readonly caller: Caller;
  /** End of the trial and of the paid time (null = never paid), ms since the epoch. */
  readonly trialExpiresAtMs: number;
  readonly subscriptionExpiresAtMs: number | null;
  /** The failure lab of the key. */
  readonly lab?: LabProfile;
}

/**
 * @param keyId of the key that speaks for the user; empty for an access token
 * @param account that the key is bound to
 */
export function ownerRecord(user: User, keyId: string, account?: string): KeyRecord {
  const { _id: userId, address, plan, trialExpiresAt, subscriptionExpiresAt } = user;
  return {
    caller: {
      ...{ userId, accountId: account ?? address, address: account ?? address, master: address, plan, keyId },
      ...(account !== undefined && { isBound: true }),
    },
    trialExpiresAtMs: trialExpiresAt.getTime(),
    subscriptionExpiresAtMs: subscriptionExpiresAt?.getTime() ?? null,
  };
}
