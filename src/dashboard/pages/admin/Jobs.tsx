// The jobs with their next runs, the processes that run them, and the runs that were given up.
import type { FailedRun, Job, JobQueues } from '../../api/contract.ts';
import { age } from '../../domain/timeText.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';
import { AdminPage } from './AdminPage.tsx';

export function Jobs() {
  return (
    <AdminPage title="Jobs">
      <Queues />
    </AdminPage>
  );
}

function Queues() {
  const asked = useAnswer<JobQueues>('/v1/admin/queues', { everyMs: 15_000 });
  return (
    <Shown asked={asked} lines={10}>
      {({ workers, counts, jobs, dead_letters: letters }) => (
        <>
          <p>
            {counts.active} running, {counts.waiting} waiting, {counts.delayed} planned, {counts.failed} given up. Processes:{' '}
            {workers.join(', ') || 'none'}.
          </p>
          <section>
            <h2>Jobs</h2>
            <DataTable caption="Jobs" columns={JOBS} rows={jobs} keyOf={({ job }) => job} empty={<p>No job is planned.</p>} />
          </section>
          <section>
            <h2>Given up</h2>
            <DataTable
              caption="Runs that were given up"
              columns={RUNS}
              rows={letters}
              keyOf={({ job, due_at: due }) => `${job} ${due}`}
              empty={<p>No run was given up.</p>}
            />
          </section>
        </>
      )}
    </Shown>
  );
}

const JOBS: readonly Column<Job>[] = [
  { head: 'Job', cell: ({ job }) => job, by: ({ job }) => job },
  {
    head: 'Every',
    isNumber: true,
    cell: ({ every_ms: ms }) => (ms < 1_000 ? `${ms} ms` : age(ms)),
    by: ({ every_ms: ms }) => ms,
  },
  { head: 'Next', cell: ({ next_run: at }) => (at === null ? '–' : <Moment at={at} />) },
];

const RUNS: readonly Column<FailedRun>[] = [
  { head: 'Job', cell: ({ job }) => job },
  { head: 'Due', cell: ({ due_at: at }) => <Moment at={at} /> },
  { head: 'Given up', cell: ({ failed_at: at }) => <Moment at={at} /> },
  { head: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { head: 'Reason', cell: ({ reason }) => <bdi class="long">{reason}</bdi> },
];
