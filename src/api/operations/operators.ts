// The endpoints of operators and orchestrators: /health, /health/live and /metrics. Open, never counted, never
// refused.
import type Router from '@koa/router';
import { Type } from '@sinclair/typebox';
import type { Registry } from 'prom-client';
import type { RequestContext } from '../access/requestContext.ts';
import { exactly } from '../contract/answerValues.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { answerJson } from '../http/answerJson.ts';
import { type Health, HealthAnswer } from './health.ts';

const OPEN = { method: 'get', tag: 'Operations', credential: 'none', isUncounted: true } as const;

const endpoints = {
  health: endpoint({
    ...OPEN,
    id: 'health',
    path: '/health',
    summary: 'Whether the service can do its work.',
    answer: {
      about: 'The report; 503 while no orders can be taken.',
      schema: HealthAnswer,
      alsoStatus: 503,
    },
  }),
  live: endpoint({
    ...OPEN,
    id: 'live',
    path: '/health/live',
    summary: 'Whether this process answers at all.',
    answer: { about: 'It does.', schema: exactly({ status: Type.Literal('ok') }) },
  }),
  metrics: endpoint({
    ...OPEN,
    id: 'metrics',
    path: '/metrics',
    summary: 'Figures for Prometheus.',
    answer: { about: 'Prometheus’ text format.', schema: Type.String(), contentType: 'text/plain' },
  }),
};

/** For the published contract. */
export const operatorEndpoints: readonly Endpoint[] = Object.values(endpoints);

export function mountOperators(router: Router<{ request: RequestContext }>, parts: { health: Health; registry: Registry }): void {
  const { health, registry } = parts;
  router.get(endpoints.health.path, async (ctx) => {
    const report = await health.report();
    answerJson(ctx, report, report.status === 'unavailable' ? 503 : 200);
  });
  router.get(endpoints.live.path, (ctx) => answerJson(ctx, { status: 'ok' }));
  router.get(endpoints.metrics.path, async (ctx) => {
    ctx.res.setHeader('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  });
}
