// The line of text about the end of the paid time: one a day before it, so that there is time to pay, and one at it.
import { expiryOf, type PaidUntil } from '../../../../shared/domain/billing/subscription.ts';
import { DAY_MS } from '../../../../shared/domain/units.ts';

/** No line is due before this time, so a check of thousands of sockets several times a second is one comparison for most. */
export const noticeFromMs = ({ trialExpiresAtMs, subscriptionExpiresAtMs }: Omit<PaidUntil, 'graceMs'>): number =>
  Math.max(trialExpiresAtMs, subscriptionExpiresAtMs ?? 0) - DAY_MS;

/** @returns the line for this moment; undefined while the end is more than a day away */
export function endNotice(paidUntil: PaidUntil, nowMs: number): string | undefined {
  const endMs = expiryOf(paidUntil);
  if (nowMs < endMs - DAY_MS) return undefined;
  const what = paidUntil.subscriptionExpiresAtMs === null ? 'The trial' : 'The subscription';
  const at = new Date(endMs).toISOString();
  return nowMs < endMs ? `${what} ends at ${at}: pay before it to go on trading` : `${what} has ended at ${at}`;
}
