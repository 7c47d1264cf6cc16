// What clients and load balancers may know of the service's condition: /health, in one word, and /health/live. Both are
// counted like any other request. Pods, shards and metrics are shown to operators only (METRICS_PORT).
import { Type } from '@sinclair/typebox';
import type { Config } from '../../shared/config/config.ts';
import { type AnswerFor, Count, exactly, HealthStatus, IsoTime, MarketSource, orNull, words } from '../contract/answerValues.ts';
import { described, named, VERSION } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint, type MountedEndpoint } from '../http/endpoint.ts';
import type { Health } from './health.ts';
import type { HealthReport } from './healthReport.ts';

const OPEN = { method: 'get', tag: 'Operations', credential: 'none', price: CHEAP } as const;

/**
 * Why the service takes no orders, or is not whole, in words that everybody may read: nothing of pods, shards or machines is in them.
 * Operators read sentences (reasons.ts).
 */
export const CAUSES = ['stores_away', 'accounts_starting', 'market_stale', 'history_away', 'jobs_away', 'other'] as const;
type Cause = (typeof CAUSES)[number];

const HealthAnswer = named(
  'Health',
  exactly({
    status: described(HealthStatus, 'degraded: orders are taken, something else is away. unavailable: no orders are taken.'),
    as_of: described(IsoTime, 'The answer is made once a second.'),
    causes: described(
      Type.Array(named('HealthCause', words(...CAUSES))),
      'Why it is not ok. accounts_starting: some accounts wait for a process. market_stale: prices are too old to trade on.',
    ),
    version: described(Type.String({ examples: [VERSION] }), 'Of the contract.'),
    market: named(
      'MarketCondition',
      exactly({
        source: MarketSource,
        age_ms: described(orNull(Count), 'Age of the newest book or mark, the older of both; null before they have come.'),
      }),
    ),
  }),
);

interface HealthParts {
  readonly health: Pick<Health, 'report'>;
  /** `MARKET_MAX_AGE_MS`: the age beyond which nothing fills. */
  readonly config: Pick<Config, 'MARKET_MAX_AGE_MS'>;
}

export const operatorEndpoints: readonly MountedEndpoint<HealthParts>[] = [
  endpoint({
    ...OPEN,
    id: 'showHealth',
    path: '/health',
    summary: 'Whether the service can do its work.',
    answer: {
      about: 'The condition; 503 while no orders can be taken.',
      schema: HealthAnswer,
      alsoStatus: 503,
    },
    handle:
      ({ health, config }: HealthParts) =>
      async (ctx) => {
        const report = await health.report();
        const { status, as_of, market } = report;
        const answer: AnswerFor<typeof HealthAnswer> = {
          ...{ status, as_of, causes: [...causesOf(report, config.MARKET_MAX_AGE_MS)], version: VERSION },
          market: { source: market.source, age_ms: marketAgeMs(report) },
        };
        answerJson(ctx, answer, status === 'unavailable' ? 503 : 200);
      },
  }),
  endpoint({
    ...OPEN,
    id: 'showLiveness',
    path: '/health/live',
    summary: 'Whether this process answers at all.',
    answer: { about: 'It does.', schema: named('Liveness', exactly({ status: Type.Literal('ok') })) },
    handle: () => (ctx) => answerJson(ctx, { status: 'ok' }),
  }),
];

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
