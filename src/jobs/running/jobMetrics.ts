// The metrics that operators watch of the jobs, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface JobMetrics {
  /** `failed`: will be tried again. `dead`: failed for good. */
  onRun(job: string, outcome: 'done' | 'failed' | 'dead'): void;
}

/** @param countDeadLetters called at each scrape; a rejection shows as NaN */
export function jobMetrics(registry: Registry, countDeadLetters: () => Promise<number>): JobMetrics {
  const registers = [registry];
  const runs = new Counter({
    name: 'jobs_runs_total',
    help: 'Runs of each job by outcome; dead = its attempts are used up, or it can never work.',
    labelNames: ['job', 'outcome'],
    registers,
  });
  new Gauge({
    name: 'jobs_dead_letters',
    help: 'Runs in the dead-letter list: look at them with bin/admin queues.',
    registers,
    async collect() {
      this.set(await countDeadLetters().catch(() => Number.NaN)); // another alarm reports a store that is away
    },
  });
  return { onRun: (job, outcome) => runs.inc({ job, outcome }) };
}
