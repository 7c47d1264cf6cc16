// The variables of processes: of every one (its name, its stores, where it listens), and of who reaches the API.
import { Type } from '@sinclair/typebox';
import { text, whole } from './fields.ts';

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
  REDIS_DURABILITY: Type.Union([Type.Literal('everysec'), Type.Literal('always')], {
    description: "Redis's appendfsync. With `always` the history writer does not wait HISTORY_DELAY_MS.",
    default: 'everysec',
  }),
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
  HTTPS_KEY: Type.String({
    description:
      'File with the private key (PEM) with which the API speaks https at PORT; empty = plain http, for a proxy before it.',
    default: '',
  }),
  HTTPS_CERT: Type.String({
    description:
      'File with the certificate of that key (PEM) and those between it and its authority; read again when it has changed.',
    default: '',
  }),
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
  ADMIN_PASSWORD: Type.String({
    description:
      'Password of the user `admin` for /admin/queues, which shows the jobs, 16 characters or more; empty = the page is not there.',
    default: '',
  }),
  CORS_ORIGINS: Type.String({
    description:
      'Web pages that may use the API from a browser: their origins (`https://app.example.com`), separated by commas; `*` = all; empty = none.',
    default: '',
  }),
  DASHBOARD: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    description: 'Whether the API serves the dashboard, pages for a browser (/overview, …).',
    default: 'on',
  }),
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
    'Views of accounts that one API process answers from, and what is kept beside them, bytes (operations.md says how to choose).',
    134_217_728,
    4_194_304,
  ),
  REQUEST_BYTES: whole(
    'What bodies of all may hold in one process, bytes: half for users, half for strangers; the fuller, the less each may hold. Unread answers: half of it.',
    268_435_456,
    131_072,
  ),
};
