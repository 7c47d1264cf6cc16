// What there is to tell of the end of a trial or of a paid time, at a moment: one day before it, and when it is over.
import { expiryOf, type PaidUntil } from '../../shared/domain/billing/subscription.ts';
import { DAY_MS } from '../../shared/domain/units.ts';

export interface TrialEnd {
  readonly stage: 'day_before' | 'over';
  readonly of: 'trial' | 'subscription';
  readonly endMs: number;
  /** When there was first something to tell. */
  readonly timeMs: number;
}

/** @returns undefined while the end is more than a day away */
export function trialEndAt(paid: PaidUntil, nowMs: number): TrialEnd | undefined {
  const endMs = expiryOf(paid);
  if (nowMs < endMs - DAY_MS) return undefined;
  const of = paid.subscriptionExpiresAtMs === null ? 'trial' : 'subscription';
  return nowMs < endMs ? { stage: 'day_before', of, endMs, timeMs: endMs - DAY_MS } : { stage: 'over', of, endMs, timeMs: endMs };
}
