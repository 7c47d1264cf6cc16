// What operators watch of the jobs, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface JobMetrics {
  /** `failed`: will be tried again. `dead`: given up. */
  onRun(job: string, outcome: 'done' | 'failed' | 'dead'): void;
}

/** @param countDeadLetters asked at each scrape; what it rejects with shows as NaN */
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
      this.set(await countDeadLetters().catch(() => Number.NaN)); // a store that is away is told by its own alarm
    },
  });
  return { onRun: (job, outcome) => runs.inc({ job, outcome }) };
}
