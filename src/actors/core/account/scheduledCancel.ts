// The state of an account's dead man's switch: when all its open orders end unless the client moves the time, and how
// often it has fired on the latest UTC day (trading-rules 2.7).
import { utcDay } from '../../../shared/domain/calendar.ts';

export interface ScheduledCancel {
  /** Undefined when it is not set. */
  readonly dueMs: number | undefined;
  /** UTC day of the latest firing, and how many there were on it; `''` and 0 when it has never fired. */
  readonly day: string;
  readonly firings: number;
}

export const NOT_SCHEDULED: ScheduledCancel = { dueMs: undefined, day: '', firings: 0 };

/** Firings on the UTC day of `timeMs`. */
export function firingsOn({ day, firings }: ScheduledCancel, timeMs: number): number {
  return day === utcDay(timeMs) ? firings : 0;
}

/** The switch after it has fired at this time. */
export function withFiring(scheduled: ScheduledCancel, timeMs: number): ScheduledCancel {
  return { dueMs: undefined, day: utcDay(timeMs), firings: firingsOn(scheduled, timeMs) + 1 };
}
