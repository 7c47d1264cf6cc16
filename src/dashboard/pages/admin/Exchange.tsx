// The whole report of /health for operators: what works, which roles run, how old the feeds are.
import type { FeedAge, HealthReport, OperatorOverview } from '../../api/contract.ts';
import { age } from '../../domain/timeText.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';
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
