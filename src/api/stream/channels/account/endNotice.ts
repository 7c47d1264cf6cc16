// What a person is told about the end of what is paid for: a day before it, so that there is time to pay, and at it.
import { expiryOf, type PaidUntil } from '../../../../shared/domain/subscriptionState.ts';

const DAY_MS = 86_400_000;

/** Nothing is told, and nothing ends, before: whoever looks at thousands several times a second is done with most of them. */
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
