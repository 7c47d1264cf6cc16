// The variables of what every process of a deployment needs: its name, its stores, where it listens.
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
