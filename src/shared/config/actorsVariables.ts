// The variables of shards and their actors: leases, mailboxes, journals, remembered answers.
import { Type } from '@sinclair/typebox';
import { DAY_MS } from '../domain/units.ts';
import { whole } from './fields.ts';

export const actorsVariables = {
  SHARDS: whole('Number of shards. Fixed for the life of a deployment.', 16, 1, 100),
  LEASE_TTL_MS: whole(
    'Life of a shard lease, milliseconds; a dead actor is replaced after it. Shorter than the time after which a replica of Redis takes over.',
    3000,
    500,
  ),
  COMMAND_DEADLINE_MS: whole('A command not begun after this many milliseconds is consumed as expired.', 5000),
  MAILBOX_MAX: whole('Waiting commands of one account; one more is refused with 429.', 1000),
  MAILBOX_BYTES: whole('Waiting commands of one account, bytes; a command beyond it is refused with 429.', 8_388_608, 4_194_304),
  MAILBOX_SHARD_BYTES: whole(
    'Waiting commands of a shard’s accounts, bytes; past it those with more than a sixteenth of MAILBOX_BYTES get 429, past twice of it all.',
    67_108_864,
    8_388_608,
  ),
  JOURNAL_MAX: whole('Commits in one shard’s journal; past it new commands get 503 (MongoDB away for long).', 1_000_000),
  JOURNAL_MAX_BYTES: whole(
    'Bytes of one shard’s journal; past it its new commands get 503, those that end risk a quarter later.',
    134_217_728,
    1_048_576,
  ),
  JOURNAL_ACCOUNT_MAX_BYTES: whole(
    'Bytes of one account’s entries in its shard’s journal; past it its new commands alone get 503, past a sixteenth where the shard has 3/4 of its own.',
    33_554_432,
    65_536,
  ),
  ACCOUNT_IDLE_MS: whole('An idle, flat account leaves memory after this many milliseconds.', 60_000),
  IDEMPOTENCY_TTL_MS: whole('How long an answer is remembered for its Idempotency-Key, milliseconds.', DAY_MS),
  IDEMPOTENCY_BYTES: whole(
    'Answers remembered for Idempotency-Keys of one account, bytes; past it a request with a new key is refused with 429.',
    33_554_432,
    1_048_576,
  ),
  IDEMPOTENCY_SHARD_BYTES: whole(
    'The same for a shard’s accounts; past it those with more than a sixteenth of IDEMPOTENCY_BYTES get 429, past twice of it all.',
    67_108_864,
    1_048_576,
  ),
  FUNDING_SETTLE_HOURS: Type.Integer({
    description: 'Hours between two settlements of funding, counted from 00 UTC: a divisor of 24; 1 = like the venue.',
    default: 8,
    enum: [1, 2, 3, 4, 6, 8, 12, 24],
  }),
  ADDRESS_LIMIT: Type.Union([Type.Literal('no'), Type.Literal('yes')], {
    description:
      'Whether actions are refused beyond 10,000 and one for each USD that the account has traded, as at the venue (`userRateLimit`).',
    default: 'no',
  }),
  ORDER_STATUS_SZ: Type.Union([Type.Literal('venue'), Type.Literal('live')], {
    description:
      '`sz` in `orderStatus` of an open order that was filled in part: as when its status was told last, as at the venue, or what is left now.',
    default: 'venue',
  }),
  HISTORY_DELAY_MS: whole(
    'Age a journal entry must have before it is written to MongoDB, milliseconds (everysec only).',
    10_000,
    0,
  ),
  JOURNAL_LAG_MS: whole('Age a written journal entry must have before it is trimmed, milliseconds.', 60_000, 0),
  ARCHIVE_DIR: Type.String({
    description:
      'Folder for a copy of the archive of all journal entries, for actors and jobs. Empty: the archive is in MongoDB alone.',
    default: '',
  }),
};
