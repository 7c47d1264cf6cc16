// The metrics that operators watch of the jobs, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { UserCount } from '../userCounts.ts';

/** Users are counted at most once in this time, ms: MongoDB looks at all of them. */
const USERS_KEPT_MS = 600_000;

export interface JobMetrics {
  /** `failed`: will be tried again. `dead`: failed for good. */
  onRun(job: string, outcome: 'done' | 'failed' | 'dead'): void;
}

/**
 * @param names of the jobs
 * @param read.deadLetters called at each scrape; a rejection shows as NaN
 * @param read.users called a few times an hour; a rejection shows as no value
 */
export function jobMetrics(
  registry: Registry,
  names: Iterable<string>,
  read: { deadLetters: () => Promise<number>; users: () => Promise<readonly UserCount[]> },
): JobMetrics {
  const registers = [registry];
  const runs = new Counter({
    name: 'jobs_runs_total',
    help: 'Runs of each job by outcome; dead = its attempts are used up, or it can never work.',
    // Not `job`: that is what the monitor calls all of this.
    labelNames: ['name', 'outcome'],
    registers,
  });
  for (const name of names) runs.inc({ name, outcome: 'dead' }, 0); // an alert sees the first one only beside a zero
  new Gauge({
    name: 'jobs_dead_letters',
    help: 'Runs in the dead-letter list: look at them with bin/admin queues.',
    registers,
    async collect() {
      this.set(await read.deadLetters().catch(() => Number.NaN)); // another alarm reports a store that is away
    },
  });
  let countedAtMs = Number.NEGATIVE_INFINITY;
  const users = new Gauge({
    name: 'billing_users',
    help: 'Users by plan and by what they may do (trial, active, past_due, expired); every process of the role says the same, up to ten minutes old.',
    labelNames: ['plan', 'state'],
    registers,
    async collect() {
      if (performance.now() - countedAtMs < USERS_KEPT_MS) return;
      countedAtMs = performance.now();
      const counts = await read.users().catch(() => undefined);
      users.reset();
      for (const { plan, state, users: count } of counts ?? []) users.set({ plan, state }, count);
      if (counts === undefined) countedAtMs = Number.NEGATIVE_INFINITY;
    },
  });
  return { onRun: (name, outcome) => runs.inc({ name, outcome }) };
}
