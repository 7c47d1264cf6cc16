// What operators and orchestrators ask: /health, /health/live and /metrics. Open, never counted, never refused.
import type Router from '@koa/router';
import type { Registry } from 'prom-client';
import type { Health } from './health.ts';
import { answerJson } from './jsonAnswer.ts';
import type { Visit } from './visit.ts';

export function mountOperators(router: Router<{ visit: Visit }>, parts: { health: Health; registry: Registry }): void {
  const { health, registry } = parts;
  router.get('/health', async (ctx) => {
    const report = await health.report();
    answerJson(ctx, report, report.status === 'unavailable' ? 503 : 200);
  });
  router.get('/health/live', (ctx) => answerJson(ctx, { status: 'ok' }));
  router.get('/metrics', async (ctx) => {
    ctx.res.setHeader('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  });
}
