// What clients and load balancers may know of the service's condition: /health, in one word, and /health/live. Both are
// counted like any other request. Pods, shards and metrics are shown to operators only (METRICS_PORT).
import type Router from '@koa/router';
import { Type } from '@sinclair/typebox';
import type { RequestContext } from '../access/requestContext.ts';
import { exactly, IsoTime, MarketSource, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { answerJson } from '../http/answerJson.ts';
import type { Health } from './health.ts';

const OPEN = { method: 'get', tag: 'Operations', credential: 'none' } as const;

export const HealthStatus = named('HealthStatus', words('ok', 'degraded', 'unavailable'));

const HealthAnswer = named(
  'Health',
  exactly({
    status: described(HealthStatus, 'degraded: orders are taken, something else is away. unavailable: no orders are taken.'),
    as_of: described(IsoTime, 'The answer is made once a second.'),
    market: named('MarketCondition', exactly({ source: MarketSource })),
  }),
);

const endpoints = {
  health: endpoint({
    ...OPEN,
    id: 'showHealth',
    path: '/health',
    summary: 'Whether the service can do its work.',
    answer: {
      about: 'The condition; 503 while no orders can be taken.',
      schema: HealthAnswer,
      alsoStatus: 503,
    },
  }),
  live: endpoint({
    ...OPEN,
    id: 'showLiveness',
    path: '/health/live',
    summary: 'Whether this process answers at all.',
    answer: { about: 'It does.', schema: named('Liveness', exactly({ status: Type.Literal('ok') })) },
  }),
};

/** For the published contract. */
export const operatorEndpoints: readonly Endpoint[] = Object.values(endpoints);

export function mountOperators(router: Router<{ request: RequestContext }>, health: Pick<Health, 'report'>): void {
  router.get(endpoints.health.path, async (ctx) => {
    const { status, as_of, market } = await health.report();
    answerJson(ctx, { status, as_of, market: { source: market.source } }, status === 'unavailable' ? 503 : 200);
  });
  router.get(endpoints.live.path, (ctx) => answerJson(ctx, { status: 'ok' }));
}
