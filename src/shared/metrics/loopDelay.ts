// How long events of a process wait before its one thread gets to them. A timer that is due at any moment waits exactly as long
// as a request would that came then, so how late it is says what held the loop: garbage, a long action, the machine.
import { Histogram, type Registry } from 'prom-client';

/** Often enough that a minute has a thousand samples, ms. */
const EVERY_MS = 50;
/** Timers count in whole milliseconds: what is below two says nothing. */
const BUCKETS_SECONDS = [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 1];

/** Parts that tests replace: a clock that only goes forward, ms, and a timer. */
export interface LoopTimes {
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
