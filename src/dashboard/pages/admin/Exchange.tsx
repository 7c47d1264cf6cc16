// The exchange for operators, in three pages: the report of /health, the shards, and the jobs.
import type { FailedRun, FeedAge, HealthReport, Job, JobQueues, OperatorOverview, Shard, ShardList } from '../../api/contract.ts';
import { age } from '../../domain/texts.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { AdminPage } from './AdminPage.tsx';

export function Exchange() {
  return (
    <AdminPage title="Exchange">
      <Report />
    </AdminPage>
  );
}

function Report() {
  const asked = useAnswer<OperatorOverview>('/v1/admin/overview', { everyMs: 15_000 });
  return (
    <Shown asked={asked} lines={10}>
      {({ health, job_board: hasBoard }) => (
        <>
          <section>
            <p class={`light ${health.status === 'ok' ? 'good' : 'bad'}`}>{health.status}</p>
            {health.reasons.map((reason) => (
              <p key={reason}>{reason}</p>
            ))}
            <Facts health={health} />
          </section>
          <section>
            <h2>Roles</h2>
            <DataTable
              caption="Actors"
              columns={PODS}
              rows={health.roles.actors}
              keyOf={({ pod_id: id }) => id}
              empty={<p>No pod of actors runs.</p>}
            />
          </section>
          <section>
            <h2>Feeds of the market</h2>
            <DataTable
              caption="Feeds"
              columns={FEEDS}
              rows={Object.entries(health.market.feeds).map(([feed, ages]) => ({ feed, ...(ages as FeedAge) }))}
              keyOf={({ feed }) => feed}
              empty={<p>No feed.</p>}
            />
          </section>
          {hasBoard && (
            <p>
              <a href="/admin/queues">The board of the jobs</a> asks for the operators’ password.
            </p>
          )}
        </>
      )}
    </Shown>
  );
}

function Facts({ health: { redis, mongo, roles, market, shards, as_of } }: { readonly health: HealthReport }) {
  const facts = [
    ['Redis', redis.up ? 'there' : 'away'],
    ['MongoDB', mongo.up ? `there${lagOf(mongo.history_lag_ms)}` : 'away'],
    ['Shards with an owner', `${shards.ready} of ${shards.count}`],
    ['Prices', `${market.source}, by ${roles.market.leader ?? 'no leader'}`],
    ['Jobs', roles.jobs.map(({ node_id: node }) => node).join(', ') || 'no process'],
  ] as const;
  return (
    <dl class="details">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>As of</dt>
        <dd>
          <Moment at={as_of} />
        </dd>
      </div>
    </dl>
  );
}

const PODS: readonly Column<HealthReport['roles']['actors'][number]>[] = [
  { head: 'Pod', cell: ({ pod_id: id }) => <code>{id}</code> },
  { head: 'Shards', isNumber: true, cell: ({ shards }) => shards.length, by: ({ shards }) => shards.length },
  { head: 'Accounts', isNumber: true, cell: ({ accounts }) => accounts, by: ({ accounts }) => accounts },
  { head: 'Heartbeat', cell: ({ heartbeat }) => <Moment at={heartbeat} /> },
  { head: 'Leaving', cell: ({ leaving }) => (leaving ? 'yes' : 'no') },
];

const FEEDS: readonly Column<FeedAge & { readonly feed: string }>[] = [
  { head: 'Feed', cell: ({ feed }) => feed },
  { head: 'Newest', isNumber: true, cell: ({ newest_ms: ms }) => ageOf(ms) },
  { head: 'Oldest', isNumber: true, cell: ({ oldest_ms: ms }) => ageOf(ms) },
  { head: 'Coins too old', isNumber: true, cell: ({ stale }) => stale },
];

const lagOf = (ms: number | null): string => (ms === null || ms < 1000 ? '' : `, history ${age(ms)} behind`);

const ageOf = (ms: number | null): string => (ms === null ? 'none yet' : age(ms));

/**
 * Every shard, the busiest first: its owner, its cost for the owner's thread, and its waiting commands, parked commands and halted
 * accounts.
 */
export function Shards() {
  return (
    <AdminPage title="Shards">
      <List />
    </AdminPage>
  );
}

function List() {
  const asked = useAnswer<ShardList>('/v1/admin/shards', { everyMs: 15_000 });
  return (
    <Shown asked={asked} lines={10}>
      {({ shards }) => (
        <DataTable caption="Shards" columns={COLUMNS} rows={shards} keyOf={({ shard }) => shard} empty={<p>None.</p>} />
      )}
    </Shown>
  );
}

const count = (head: string, of: (row: Shard) => number, help?: string): Column<Shard> => ({
  ...{ head, isNumber: true, cell: of, by: of },
  ...(help !== undefined && { help }),
});

const COLUMNS: readonly Column<Shard>[] = [
  count('Shard', ({ shard }) => shard),
  {
    head: 'Owner',
    cell: ({ owner, moved_to: moved }) => <code>{`${owner ?? 'no owner'}${moved === null ? '' : ` (moved to ${moved})`}`}</code>,
  },
  count('Lease', ({ epoch }) => epoch, 'How often the shard has had an owner'),
  {
    ...{ head: 'Busy', isNumber: true, help: 'Part of its owner’s one thread', by: ({ load }) => load?.busy ?? 0 },
    cell: ({ load }) => (load === null ? '–' : `${(load.busy * 100).toFixed(1)} %`),
  },
  {
    ...{ head: 'Commands/s', isNumber: true, by: ({ load }) => load?.commands ?? 0 },
    cell: ({ load }) => (load === null ? '–' : load.commands),
  },
  count('Accounts', ({ accounts }) => accounts),
  count('Waiting', ({ waiting }) => waiting, 'Accounts with commands that wait'),
  count('Journal', ({ journal }) => journal, 'Commits that MongoDB or the archive may lack'),
  count('Parked', ({ parked }) => parked),
  count('Halted', ({ halted }) => halted),
];

/** The jobs with their next runs, the processes that run them, and the runs that were given up. */
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
