// The whole report of /health, as operators see it: roles, shards, feeds.
import { Type } from '@sinclair/typebox';
import { Count, exactly, HealthStatus, IsoTime, MarketSource, orNull } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import type { OperatorAct } from './operatorAct.ts';

const FeedAge = named('FeedAge', exactly({ newest_ms: orNull(Type.Number()), oldest_ms: orNull(Type.Number()), stale: Count }));

const Pod = named(
  'ActorPod',
  exactly({
    pod_id: Type.String(),
    leaving: Type.Boolean(),
    shards: Type.Array(Count),
    accounts: Count,
    heartbeat: IsoTime,
    reads: described(Count, 'Newest generation of stored forms that it reads.'),
    refused: described(
      Type.Array(named('RefusedShard', exactly({ shard: Count, form: Type.String(), version: Count }))),
      'Shards that it left to newer pods, and what it met there.',
    ),
  }),
);

const JobProcess = named('JobProcess', exactly({ node_id: Type.String(), heartbeat: IsoTime }));

const mongoFields = {
  up: Type.Boolean(),
  history_lag_ms: described(orNull(Type.Number()), 'Age of the oldest journal entry that MongoDB lacks though it is due.'),
};
const ownerFields = {
  count: Count,
  ready: Count,
  owners: described(Type.Array(orNull(Type.String())), 'Pod of each shard; null without a recovered owner.'),
};
const MarketRole = named('MarketRole', exactly({ leader: orNull(Type.String()) }));
const Feeds = named('FeedAges', exactly({ book: FeedAge, context: FeedAge, trades: FeedAge, mids: FeedAge }));

const Report = named(
  'HealthReport',
  exactly({
    status: HealthStatus,
    reasons: described(Type.Array(Type.String()), 'Why it is not `ok`, in words.'),
    as_of: IsoTime,
    node_id: described(Type.String(), 'The process that reports.'),
    redis: named('RedisCondition', exactly({ up: Type.Boolean() })),
    mongo: named('MongoCondition', exactly(mongoFields)),
    roles: named('RunningRoles', exactly({ actors: Type.Array(Pod), market: MarketRole, jobs: Type.Array(JobProcess) })),
    market: named('MarketReport', exactly({ source: MarketSource, connected_since: orNull(IsoTime), feeds: Feeds })),
    shards: named('ShardOwners', exactly(ownerFields)),
  }),
);

/** For the API alone: the node is asked. It shows no user's data, so a page may ask again and again without a row in the audit log. */
export const showOverview: OperatorAct = {
  endpoint: {
    kind: 'look',
    id: 'showOperatorOverview',
    path: '/v1/admin/overview',
    summary: 'The whole report of /health: roles, shards, feeds.',
    answer: named(
      'OperatorOverview',
      exactly({ health: Report, job_board: described(Type.Boolean(), 'Whether /admin/queues shows the jobs as a page.') }),
    ),
    prepare: () => ({
      detail: undefined,
      run: async ({ health, board }) => ({ health: await health.report(), job_board: board !== undefined }),
    }),
  },
};
