// The jobs.
import type { Dashboard } from '../dashboard.ts';
import { rate, sumBy, threads } from '../panels.ts';

export const jobs: Dashboard = {
  uid: 'jobs',
  title: 'jobs',
  about: 'What runs by itself, and what was given up.',
  rows: [
    {
      title: 'Jobs',
      panels: [
        { title: 'Processes', unit: 'none', as: 'figure', lines: [['max(service_jobs_processes)', 'processes']] },
        { title: 'Runs', unit: 'ops', lines: [[sumBy('name', rate('jobs_runs_total{outcome="done"}')), '{{name}}']] },
        {
          title: 'Runs that failed or were given up',
          unit: 'short',
          lines: [
            [
              'sum by (name, outcome) (increase(jobs_runs_total{outcome=~"failed|dead"}[$__rate_interval]))',
              '{{name}} {{outcome}}',
            ],
          ],
        },
        { title: 'List of those given up', unit: 'short', lines: [['max(jobs_dead_letters)', 'runs']] },
        {
          title: 'Liquidations that wait, or that the scan found first',
          unit: 'short',
          lines: [
            ['sum(actor_accounts_in_danger)', 'wait for a mark or a book'],
            ['sum(actor_missed_liquidations_total)', 'found by the scan'],
          ],
        },
        threads('jobs'),
      ],
    },
  ],
};
