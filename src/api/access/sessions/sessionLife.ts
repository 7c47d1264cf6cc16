// How long a session lasts: an absolute life from its login, and an idle one from its last use. Both are worked out
// from the session's times, so a shorter life in the configuration holds for sessions that have begun already.
import type { Config } from '../../../shared/config/config.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/domain/units.ts';

export type SessionLifeConfig = Pick<Config, 'SESSION_MAX_HOURS' | 'SESSION_IDLE_MINUTES'>;

/** When a session ends whatever is done with it, ms since the epoch. */
export const latestEndMs = ({ SESSION_MAX_HOURS }: SessionLifeConfig, createdAtMs: number): number =>
  createdAtMs + SESSION_MAX_HOURS * HOUR_MS;

/** When a session ends unless it is used, ms since the epoch. */
export function endMs(config: SessionLifeConfig, { createdAtMs, usedAtMs }: { createdAtMs: number; usedAtMs: number }): number {
  return Math.min(latestEndMs(config, createdAtMs), usedAtMs + config.SESSION_IDLE_MINUTES * MINUTE_MS);
}
