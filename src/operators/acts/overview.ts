// GET /v1/admin/overview, /shards, /queues: the whole report of /health, what each shard costs, and the jobs. They show no user's data, so a
// page may ask them again and again without a row in the audit log.
import { Type } from '@sinclair/typebox';
import { readShards } from './shards.ts';
import { Address, Count, exactly, IsoTime, MarketSource, orNull } from '../../api/contract/answerValues.ts';
import { described } from '../../api/contract/described.ts';
import { named } from '../../api/contract/named.ts';
import { HealthStatus } from '../../api/operations/operators.ts';
import { type AdminEndpoint, look } from '../endpoints.ts';

/** Runs of jobs that failed for good, as many as an answer shows. */
const FAILED_RUNS_MAX = 100;

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

const overview = look({
  id: 'showOperatorOverview',
  path: '/v1/admin/overview',
  summary: 'The whole report of /health: roles, shards, feeds.',
  answer: named(
    'OperatorOverview',
    exactly({ health: Report, job_board: described(Type.Boolean(), 'Whether /admin/queues shows the jobs as a page.') }),
  ),
  read: async (_ctx, { health, board }) => ({ health: await health.report(), job_board: board !== undefined }),
});

const Load = named(
  'ShardLoad',
  exactly({
    seconds: described(Type.Number(), 'How long it was counted.'),
    busy: described(Type.Number(), 'Part of the owner’s one thread, 0 to 1.'),
    commands: described(Type.Number(), 'A second.'),
    journalBytes: Type.Number(),
    top: described(
      Type.Array(named('LoudAccount', exactly({ account: Address, busy: Type.Number(), times: Type.Number() }))),
      'The accounts that took most of it.',
    ),
  }),
);

const shards = look({
  id: 'listShards',
  path: '/v1/admin/shards',
  summary: 'Every shard, the busiest first: its owner, load, accounts, and what waits.',
  answer: named(
    'ShardList',
    exactly({
      shards: Type.Array(
        named(
          'Shard',
          exactly({
            shard: Count,
            owner: orNull(Type.String()),
            epoch: described(Count, 'Of the lease; 0 = no pod has it.'),
            moved_to: described(orNull(Type.String()), 'The pod to which an operator has moved it.'),
            load: described(orNull(Load), 'Null when its owner has not said yet.'),
            accounts: Count,
            waiting: described(Count, 'Accounts with commands that wait.'),
            mailbox_bytes: Count,
            journal: described(Count, 'Commits that MongoDB or the archive may lack.'),
            parked: Count,
            quarantined: Count,
            halted: Count,
          }),
        ),
      ),
    }),
  ),
  read: async (_ctx, { operators }) => ({ shards: (await readShards(operators)).rows }),
});

const queues = look({
  id: 'listJobQueues',
  path: '/v1/admin/queues',
  summary: 'The jobs with their next runs, the processes that run them, and the newest runs that were given up.',
  answer: named(
    'JobQueues',
    exactly({
      workers: Type.Array(Type.String()),
      counts: named('RunCounts', exactly({ active: Count, waiting: Count, delayed: Count, failed: Count })),
      jobs: Type.Array(named('Job', exactly({ job: Type.String(), every_ms: Count, next_run: orNull(IsoTime) }))),
      dead_letters: Type.Array(
        named(
          'FailedRun',
          exactly({ job: Type.String(), due_at: IsoTime, failed_at: IsoTime, attempts: Count, reason: Type.String() }),
        ),
      ),
    }),
  ),
  async read(_ctx, { operators: { redis } }) {
    // BullMQ is loaded by API nodes that are asked for it only.
    const { readQueues } = await import('./readQueues.ts');
    return readQueues(redis, FAILED_RUNS_MAX);
  },
});

export const machineEndpoints: readonly AdminEndpoint[] = [overview, shards, queues];
