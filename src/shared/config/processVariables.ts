// The variables of processes and of the shards' actors. Four kinds cover most variables.
import { Type } from '@sinclair/typebox';
import { DAY_MS } from '../domain/units.ts';

/** A whole number with its bounds, both included. */
export const whole = (
  description: string,
  defaultValue: number,
  minimum = 1,
  maximum = Number.MAX_SAFE_INTEGER,
): ReturnType<typeof Type.Integer> => Type.Integer({ description, default: defaultValue, minimum, maximum });
/** A word of a list. */
export const oneOf = <const Word extends string>(words: readonly Word[], defaultValue: Word, description: string) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { description, default: defaultValue },
    ),
  );
/** A text that may be empty, and is by default. */
export const textOrNone = (description: string) => Type.String({ description, default: '' });
/** A text that is not empty. */
export const text = (description: string, defaultValue: string): ReturnType<typeof Type.String> =>
  Type.String({ description, default: defaultValue, minLength: 1 });

// The variables of processes: of every one (its name, its stores, where it listens), and of who reaches the API.

export const processVariables = {
  NODE_ID: Type.String({
    description:
      'Name of this process in leases, replies and logs, without spaces and colons. Empty: made from host, pid and a random part.',
    // Redis takes no space or other letters in a connection's name, by which a second process of one NODE_ID is known; a lease has colons.
    pattern: '^[!-9;-~]{0,200}$',
    default: '',
  }),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => Type.Literal(level)),
    { description: 'Least severe log line that is written.', default: 'info' },
  ),
  REDIS_URL: text(
    'Redis 7 or newer, with AOF and maxmemory-policy noeviction: a server (`redis://`, `rediss://` with TLS, `unix://:password@/path`), nodes of a cluster with commas between them, or `redis+sentinel://…@host:26379,host:26379/name-of-the-master`.',
    'redis://127.0.0.1:6379',
  ),
  REDIS_DURABILITY: oneOf(
    ['everysec', 'always'],
    'everysec',
    "Redis's appendfsync. With `always` the history writer does not wait HISTORY_DELAY_MS.",
  ),
  REDIS_MIN_REPLICAS: whole(
    'Replicas that have to have a commit before it is answered or shown (WAIT); 0 = the master alone. The same for all processes.',
    0,
    0,
    5,
  ),
  MONGO_URL: text('Address of MongoDB 5 or newer.', 'mongodb://127.0.0.1:27017'),
  MONGO_DATABASE: text('Database name.', 'paper'),
  MONGO_TIMEOUT_MS: whole('How long one MongoDB operation may look for a server, milliseconds.', 3000),
  HOST: text('Address the API listens on.', '127.0.0.1'),
  PORT: whole('Port the API listens on; 0 picks a free one.', 3000, 0, 65_535),
  HTTPS_KEY: textOrNone(
    'File with the private key (PEM) with which the API speaks https at PORT; empty = plain http, for a proxy before it.',
  ),
  HTTPS_CERT: textOrNone(
    'File with the certificate of that key (PEM) and those between it and its authority; read again when it has changed.',
  ),
  METRICS_HOST: text(
    'Address on which every process shows /metrics, /ready, /health and /health/live to operators: one that clients cannot reach.',
    '127.0.0.1',
  ),
  METRICS_PORT: whole('Port of that address. When it is taken, or 0, a free one is used; the log says which.', 9100, 0, 65_535),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    description:
      'Base address of an OpenTelemetry collector that takes traces as OTLP over HTTP, e.g. `http://127.0.0.1:4318`. Empty: none are made.',
    default: '',
    pattern: '^$|^https?://[^\\s]+$',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    description:
      'Headers that the collector wants, e.g. a credential: `name=value`, with commas between them, percent-encoded. A secret.',
    default: '',
    pattern: '^$|^[^=,\\s]+=[^,\\s]*(,[^=,\\s]+=[^,\\s]*)*$',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    description: 'Share of requests and runs of jobs that are traced, 0 to 1.',
    default: 0.01,
    minimum: 0,
    maximum: 1,
  }),
};

/** The reach of the API: the callers that it accepts, the number of their connections, and the bytes that they may hold. */
export const reachVariables = {
  PROXY_HOPS: whole('Reverse proxies before the API whose X-Forwarded-For is believed; 0 = none.', 0, 0, 10),
  ADMIN_PASSWORD: textOrNone(
    'Password of the user `admin` for /admin/queues, which shows the jobs, 16 characters or more; empty = the page is not there.',
  ),
  CORS_ORIGINS: textOrNone(
    'Web pages that may use the API from a browser: their origins (`https://app.example.com`), separated by commas; `*` = all; empty = none.',
  ),
  DASHBOARD: oneOf(['on', 'off'], 'on', 'Whether the API serves the dashboard, pages for a browser (/overview, …).'),
  CONNECTIONS: whole(
    'Connections to one API process. One more is taken only by an address with few, in place of one of the address with most.',
    10_000,
    10,
  ),
  ADDRESS_CONNECTIONS: whole(
    'Connections of one network address to one API process, and twice as many new ones a minute. Behind proxies: those at work for one client.',
    4000,
  ),
  ADDRESS_HALF_OPEN: whole(
    'Those of them that have sent no whole request yet (not behind proxies); also bodies of one caller that are being received at once.',
    2000,
  ),
  BODY_LIMIT_BYTES: whole('Largest request body, and largest message of a socket, bytes.', 1_048_576),
  ANONYMOUS_BODY_LIMIT_BYTES: whole('Largest body of a request without a valid key or access token, bytes.', 16_384, 1024),
  REQUEST_BYTES_PER_CALLER: whole(
    'What bodies of one user (without a credential: of one address) may hold until they are answered, bytes; answers until they are read likewise.',
    33_554_432,
    65_536,
  ),
  VIEWS_MAX_BYTES: whole(
    'Views of accounts that one API process answers from, and what is kept beside them, bytes (docs/watching.md says how to choose).',
    134_217_728,
    4_194_304,
  ),
  REQUEST_BYTES: whole(
    'What bodies of all may hold in one process, bytes: half for users, half for strangers; the fuller, the less each may hold. Unread answers: half of it.',
    268_435_456,
    131_072,
  ),
};

// The variables of shards and their actors: leases, mailboxes, journals, remembered answers.

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
  ADDRESS_LIMIT: oneOf(
    ['no', 'yes'],
    'no',
    'Whether actions are refused beyond 10,000 and one for each USD that the account has traded, as at the venue (`userRateLimit`).',
  ),
  ORDER_STATUS_SZ: oneOf(
    ['venue', 'live'],
    'venue',
    '`sz` in `orderStatus` of an open order that was filled in part: as when its status was told last, as at the venue, or what is left now.',
  ),
  HISTORY_DELAY_MS: whole(
    'Age a journal entry must have before it is written to MongoDB, milliseconds (everysec only).',
    10_000,
    0,
  ),
  JOURNAL_LAG_MS: whole('Age a written journal entry must have before it is trimmed, milliseconds.', 60_000, 0),
  ARCHIVE_DIR: textOrNone(
    'Folder for a copy of the archive of all journal entries, for actors and jobs. Empty: the archive is in MongoDB alone.',
  ),
};
