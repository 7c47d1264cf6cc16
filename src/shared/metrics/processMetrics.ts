// The metrics of Node about its process, but for two kinds. Gauges that bear a counter's name are left out: the gauges by type
// (`nodejs_active_handles`) say the same. Node's own look at the loop is left out: it wakes an idle process 100 times a second, and
// `loop_delay_seconds` has the delay.
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { HOUR_MS } from '../domain/units.ts';

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
/** The loop between two readings. `nodejs_eventloop_lag_seconds`, the loop at the reading, stays. */
const OF_THE_LOOP = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((part) => `nodejs_eventloop_lag_${part}_seconds`);
/** The library has no switch for its look; so long an interval costs nothing, ms. */
const NEVER_MS = HOUR_MS;

export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of [...MISNAMED, ...OF_THE_LOOP]) registry.removeSingleMetric(name);
}
