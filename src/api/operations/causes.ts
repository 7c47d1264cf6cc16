// Why the service takes no orders, or is not whole, in words of a fixed list that everybody may read: nothing of pods, shards or
// machines is in them. Operators read sentences (reasons.ts).
import type { HealthReport } from './healthReport.ts';

export const CAUSES = ['stores_away', 'accounts_starting', 'market_stale', 'history_away', 'jobs_away', 'other'] as const;
export type Cause = (typeof CAUSES)[number];

type Seen = Pick<HealthReport, 'status' | 'redis' | 'mongo' | 'roles' | 'market' | 'shards'>;

/** @param maxAgeMs bound of the market's age, beyond which nothing fills @returns none when all is well */
export function causesOf(report: Seen, maxAgeMs: number): readonly Cause[] {
  const { status, redis, mongo, roles, shards } = report;
  if (status === 'ok') return [];
  if (!redis.up) return ['stores_away'];
  const age = marketAgeMs(report);
  const causes: Cause[] = [];
  if (shards.ready < shards.count) causes.push('accounts_starting');
  if (age === null || age > maxAgeMs) causes.push('market_stale');
  if (!mongo.up) causes.push('history_away');
  if (roles.jobs.length === 0) causes.push('jobs_away');
  return causes.length === 0 ? ['other'] : causes;
}

/** How old the newest book and the newest mark are, the older of both, ms; null before they have come. */
export function marketAgeMs({ market }: Pick<HealthReport, 'market'>): number | null {
  const ages = [market.feeds.book.newest_ms, market.feeds.context.newest_ms];
  return ages.includes(null) ? null : Math.max(...(ages as number[]));
}
