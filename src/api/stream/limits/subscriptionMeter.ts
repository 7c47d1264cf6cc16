// Counts what the subscriptions of a socket cost its key, in the same window of weight as its requests.
import type { Admission } from '../../access/admission.ts';
import type { KeyRecord } from '../../access/keys/keyRecord.ts';

export interface SubscriptionMeter {
  /** Counts what a subscription begins with. @throws {RequestError} 429 */
  admit(weight: number): Promise<void>;
  /** Counts what was read beyond that. */
  add(weight: number): Promise<void>;
  /** Whether the key has weight left. */
  hasLeft(): boolean;
}

export type CountsSubscriptions = Pick<Admission, 'admitSubscription' | 'addToSubscription' | 'hasWeightLeft'>;

/** @param options.key as it is now: plans change */
export const subscriptionMeter = (
  admission: CountsSubscriptions,
  { key, now }: { key: () => KeyRecord; now: () => number },
): SubscriptionMeter => ({
  admit: (weight) => admission.admitSubscription(key(), weight, now()),
  add: (weight) => admission.addToSubscription(key(), weight),
  hasLeft: () => admission.hasWeightLeft(key()),
});
