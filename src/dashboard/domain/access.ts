// The notice to a user about the end of the trial or of the paid time.
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/** As `GET /v1/auth/me` has it. */
export interface AccessFacts {
  readonly subscription_status: 'trial' | 'active' | 'past_due' | 'expired';
  readonly trading_ends_at: string;
}

/** Times are ISO 8601. */
export type AccessNote =
  | { readonly type: 'trial'; readonly endsAt: string }
  /** The paid time is over; trading goes on for the days of grace. */
  | { readonly type: 'grace'; readonly endsAt: string }
  /** Figures are shown, nothing is traded. */
  | { readonly type: 'readOnly' };

/** Beyond this a time is no end that anybody has to know, ms: a trial without one lasts a hundred years. */
const NO_END_MS = 10 * 365 * DAY_MS;

/** @param endsMs ms since the epoch */
export const hasEnd = (endsMs: number, nowMs: number): boolean => endsMs - nowMs <= NO_END_MS;

/** @param isClosed true when the server has closed the stream because nothing is paid for @returns undefined with a paid plan */
export function accessNote(facts: AccessFacts | undefined, isClosed: boolean): AccessNote | undefined {
  if (isClosed || facts?.subscription_status === 'expired') return { type: 'readOnly' };
  if (facts?.subscription_status === 'trial') return { type: 'trial', endsAt: facts.trading_ends_at };
  if (facts?.subscription_status === 'past_due') {
    return { type: 'grace', endsAt: facts.trading_ends_at };
  }
  return undefined;
}

/** `3 days`, `5 hours`, `1 minute`: cut, so that it promises no more than there is. @param leftMs below a minute counts as one */
export function timeLeft(leftMs: number): string {
  const [unit, name] = leftMs >= DAY_MS ? [DAY_MS, 'day'] : leftMs >= HOUR_MS ? [HOUR_MS, 'hour'] : [MINUTE_MS, 'minute'];
  const count = Math.max(1, Math.floor(leftMs / unit));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
