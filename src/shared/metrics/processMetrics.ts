// Metrics that every process has: the metrics of Node, what was tried again, and the delay of the process's loop.

import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { HOUR_MS } from '../domain/units.ts';
import { retries } from '../retrying.ts';

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
/** The loop between two readings. `nodejs_eventloop_lag_seconds`, the loop at the reading, stays. */
const OF_THE_LOOP = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((part) => `nodejs_eventloop_lag_${part}_seconds`);
/** The library has no switch for its look; so long an interval costs nothing, ms. */
const NEVER_MS = HOUR_MS;

/**
 * What the process has tried again, and the metrics of Node about it, but for two kinds. Gauges that bear a counter's name are left out: the gauges by type
 * (`nodejs_active_handles`) say the same. Node's own look at the loop is left out: it wakes an idle process 100 times a second, and
 * `loop_delay_seconds` has the delay.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of [...MISNAMED, ...OF_THE_LOOP]) registry.removeSingleMetric(name);
  registry.registerMetric(retries);
}

// How long events of a process wait before its one thread gets to them. A timer that is due at any moment waits exactly as long
// as a request would that came then, so how late it is says what held the loop: garbage, a long action, the machine.

/** Often enough that a minute has a thousand samples, ms. */
const EVERY_MS = 50;
/** Timers count in whole milliseconds: what is below two says nothing. */
const BUCKETS_SECONDS = [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 1];

/** Parts that tests replace: a clock that only goes forward, ms, and a timer. */
interface LoopTimes {
  readonly nowMs: () => number;
  readonly later: (run: () => void, ms: number) => void;
}

const REAL: LoopTimes = {
  nowMs: () => performance.now(),
  later: (run, ms) => void setTimeout(run, ms).unref(),
};

/** Measures from now on, for as long as the process lives. @param role the roles of the process, as in its log */
export function measureLoopDelay(registry: Registry, role: string, { nowMs, later }: LoopTimes = REAL): void {
  const histogram = new Histogram({
    name: 'loop_delay_seconds',
    help: 'How long an event waited for the one thread of the process, seen 20 times a second.',
    labelNames: ['role'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const look = (): void => {
    const dueMs = nowMs() + EVERY_MS;
    later(() => {
      histogram.observe({ role }, Math.max(0, nowMs() - dueMs) / 1000);
      look();
    }, EVERY_MS);
  };
  look();
}
