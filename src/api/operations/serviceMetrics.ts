// The condition of the whole service as an API node sees it, in the node's metrics: what /health says, for alerts. It is the report of
// Health, made once a second at most. Without a process of the role `api` there are no such figures: the rules have an alert for that, too.
import { Gauge, type Registry } from 'prom-client';
import type { Health } from './health.ts';
import type { HealthReport } from './healthReport.ts';

export function registerServiceMetrics(registry: Registry, health: Pick<Health, 'report'>): void {
  const gauge = (name: string, help: string, read: (report: HealthReport) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(read(await health.report()));
      },
    });
  };
  gauge('service_taking_orders', '1 while orders can be taken, 0 otherwise.', ({ status }) => (status === 'unavailable' ? 0 : 1));
  gauge('service_redis_up', '1 while Redis answers this node.', ({ redis }) => (redis.up ? 1 : 0));
  gauge('service_mongo_up', '1 while MongoDB answers this node.', ({ mongo }) => (mongo.up ? 1 : 0));
  // What Redis does not say is unknown, not none: another alert reports that it is away.
  gauge('service_shards_without_owner', 'Shards without a recovered owner; NaN while Redis is away.', ({ redis, shards }) =>
    redis.up ? shards.count - shards.ready : Number.NaN,
  );
  gauge('service_market_leaders', 'Processes that lead the market: 1, or 0; NaN while Redis is away.', ({ redis, roles }) =>
    redis.up ? Number(roles.market.leader !== null) : Number.NaN,
  );
  gauge('service_jobs_processes', 'Processes of the role jobs that live; NaN while Redis is away.', ({ redis, roles }) =>
    redis.up ? roles.jobs.length : Number.NaN,
  );
}
