// What Node says of its process, without the gauges that bear a counter's name: those by type (`nodejs_active_handles`) say the same.
import { collectDefaultMetrics, type Registry } from 'prom-client';

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
}
