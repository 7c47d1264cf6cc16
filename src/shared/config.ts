// The one schema of the configuration: every variable with its unit, default and meaning. A test compares it with
// `.env.example` and with the table in docs/operations.md. A wrong value stops the start with one sentence per
// variable.
import { isIPv4 } from 'node:net';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import { refuseShortSecrets } from './secretRules.ts';
import { WEIGHT_MAX } from './venue/requestWeight.ts';

const whole = (
  description: string,
  defaultValue: number,
  minimum = 1,
  maximum = Number.MAX_SAFE_INTEGER,
): ReturnType<typeof Type.Integer> => Type.Integer({ description, default: defaultValue, minimum, maximum });
const text = (description: string, defaultValue: string): ReturnType<typeof Type.String> =>
  Type.String({ description, default: defaultValue, minLength: 1 });

export const ConfigSchema = Type.Object({
  NODE_ID: Type.String({
    description: 'Name of this process in leases, replies and logs. Empty: made from host, pid and a random part.',
    default: '',
  }),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => Type.Literal(level)),
    { description: 'Least severe log line that is written.', default: 'info' },
  ),
  REDIS_URL: text('Address of Redis 7 or newer, with AOF and maxmemory-policy noeviction.', 'redis://127.0.0.1:6379'),
  REDIS_DURABILITY: Type.Union([Type.Literal('everysec'), Type.Literal('always')], {
    description: "Redis's appendfsync. With `always` the history writer does not wait HISTORY_DELAY_MS.",
    default: 'everysec',
  }),
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
    'Address on which every process shows /metrics, /health and /health/live to operators: one that clients cannot reach.',
    '127.0.0.1',
  ),
  METRICS_PORT: whole('Port of that address. When it is taken, or 0, a free one is used; the log says which.', 9100, 0, 65_535),
  JWT_SECRET: Type.String({
    description:
      'Key that signs access tokens (HS256), 32 characters or more. Empty, on loopback only: made at first start, kept in MongoDB.',
    default: '',
  }),
  JWT_SECRETS_OLD: Type.String({
    description:
      'Keys that are accepted beside JWT_SECRET (the one before it, or the next), separated by commas; `kept` = the one in MongoDB.',
    default: '',
  }),
  DEPLOYMENT_SECRET: Type.String({
    description:
      'Secret behind device tokens, kept answers and hashes of e-mail addresses, 32 characters or more; never changes. Empty: in MongoDB.',
    default: '',
  }),
  JWT_TTL_SECONDS: whole('Life of an access token, seconds.', 86_400),
  SESSION_MAX_HOURS: whole('How long after its login a session ends, however much it is used, hours.', 2160),
  SESSION_IDLE_MINUTES: whole('A session that is not used for this long ends, minutes.', 43_200, 5),
  ARGON2_MEMORY_KIB: whole('Memory of one password hash, KiB (OWASP: 19456).', 19_456, 8),
  ARGON2_PASSES: whole('Passes of one password hash (OWASP: 2).', 2),
  AUTH_REGISTER_PER_MINUTE: whole(
    'Registrations a minute per network address; requests of password mails and resets each likewise.',
    20,
  ),
  AUTH_LOGIN_PER_MINUTE: whole(
    'Times a minute that the password of one account may be tried from one address, device or session; requests of password mails likewise.',
    10,
  ),
  AUTH_ACCOUNT_LOGINS_PER_HOUR: whole(
    'Times an hour that the password of one account may be tried from all addresses and devices that it was never used from together.',
    300,
  ),
  AUTH_ADDRESS_LOGINS_PER_MINUTE: whole('Logins a minute per network address, whatever the accounts.', 100),
  AUTH_ADDRESS_LOGINS_WAITING: whole(
    'Passwords from one network address that may wait to be checked at one API node, of 128.',
    64,
  ),
  SMTP_URL: Type.String({
    description: 'Mail server, e.g. `smtps://user:password@mail.example.com`. Empty: mails become files in MAIL_DIR.',
    default: '',
    pattern: '^(smtps?://.+)?$',
  }),
  MAIL_FROM: text('Sender of mails.', 'no-reply@localhost'),
  MAIL_DIR: text('Folder for mails when there is no SMTP_URL.', 'var/mail'),
  PASSWORD_RESET_URL: Type.String({
    description: 'Page that the link in a password mail opens; `#token=…` is added to it.',
    default: 'http://127.0.0.1:3000/reset-password',
    pattern: '^https?://.+$',
  }),
  VERIFY_EMAIL_URL: Type.String({
    description: 'Page that the link in a verification mail opens; `#token=…` is added to it.',
    default: 'http://127.0.0.1:3000/verify-email',
    pattern: '^https?://.+$',
  }),
  REQUIRE_VERIFIED_EMAIL: Type.Union([Type.Literal(''), Type.Literal('yes'), Type.Literal('no')], {
    description: 'Whether keys are made for users with a verified e-mail address only: `yes` or `no`. Empty: yes with SMTP_URL.',
    default: '',
  }),
  SHARDS: whole('Number of shards. Fixed for the life of a deployment.', 16, 1, 100),
  LEASE_TTL_MS: whole('Life of a shard lease, milliseconds; a dead actor is replaced after it.', 3000, 500),
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
    'Bytes of one account’s entries in its shard’s journal; past it the new commands of this account alone get 503.',
    33_554_432,
    65_536,
  ),
  ACCOUNT_IDLE_MS: whole('An idle, flat account leaves memory after this many milliseconds.', 60_000),
  IDEMPOTENCY_TTL_MS: whole('How long an answer is remembered for its Idempotency-Key, milliseconds.', 86_400_000),
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
  HISTORY_DELAY_MS: whole(
    'Age a journal entry must have before it is written to MongoDB, milliseconds (everysec only).',
    10_000,
    0,
  ),
  JOURNAL_LAG_MS: whole('Age a written journal entry must have before it is trimmed, milliseconds.', 60_000, 0),
  MARKET_SOURCE: Type.Union([Type.Literal('live'), Type.Literal('emulated'), Type.Literal('replay')], {
    description: 'Where market data comes from; shown in /health and in X-Market-Source.',
    default: 'live',
  }),
  MARKET_URL: text('Base address of a server with the venue’s protocol (`/info`, `/ws`).', 'https://api.hyperliquid.xyz'),
  MARKET_MAX_AGE_MS: whole('Books and marks older than this refuse new orders, milliseconds.', 15_000),
  MARKET_WEIGHT_PER_MINUTE: whole(
    'Request weight that the whole deployment asks the venue for in a minute; the venue allows an address 1,200.',
    1100,
    1,
    1_000_000,
  ),
  MARKET_WEIGHT_RESERVE: whole(
    'Part of that weight that is the market role’s; users’ questions share the rest.',
    500,
    0,
    1_000_000,
  ),
  MARKET_WEIGHT_USER_PERCENT: whole('How much of what others leave of the users’ part one user may use, percent.', 40, 1, 100),
  MARKET_LEASE_TTL_MS: whole('Life of the market leader’s lease, milliseconds.', 3000, 500),
  LIQUIDATION_SCAN_INTERVAL_MS: whole(
    'How often every account is checked for liquidation beside the check at each mark, milliseconds.',
    5000,
    100,
  ),
  AUDIT_RETENTION_DAYS: whole('How long security-relevant acts are kept for their user to read, days.', 365, 1, 36_500),
  EQUITY_SAMPLE_INTERVAL_MS: whole(
    'How often accounts with positions put a point on their equity curves beside those of fills, milliseconds.',
    300_000,
    1000,
  ),
  PLAN_BASIC_REQUESTS_PER_MINUTE: whole('Requests a minute per API key, plan basic.', 200),
  PLAN_PRO_REQUESTS_PER_MINUTE: whole('Requests a minute per API key, plan pro.', 500),
  PLAN_BASIC_WEIGHT_PER_MINUTE: whole(
    'Weight a minute per API key, plan basic: what its requests may cost together. Unset: no less than 20 for each request.',
    4000,
  ),
  PLAN_PRO_WEIGHT_PER_MINUTE: whole(
    'Weight a minute per API key, plan pro: what its requests may cost together. Unset: no less than 20 for each request.',
    10_000,
  ),
  PLAN_BASIC_SOCKETS: whole('WebSocket connections of one API key, plan basic.', 10),
  PLAN_PRO_SOCKETS: whole('WebSocket connections of one API key, plan pro.', 20),
  PLAN_BASIC_SUBSCRIPTIONS: whole('Subscriptions of one WebSocket connection, plan basic.', 1000),
  PLAN_PRO_SUBSCRIPTIONS: whole('Subscriptions of one WebSocket connection, plan pro.', 2000),
  PLAN_BASIC_MESSAGES_PER_MINUTE: whole(
    'Messages a minute that one WebSocket connection may send before it is closed, plan basic.',
    2000,
  ),
  PLAN_PRO_MESSAGES_PER_MINUTE: whole(
    'Messages a minute that one WebSocket connection may send before it is closed, plan pro.',
    5000,
  ),
  STREAM_BUFFER_BYTES_PER_USER: whole(
    'What may wait, unsent or half received, at all WebSocket connections of one user to one process, bytes; past it the fullest is closed.',
    16_777_216,
    65_536,
  ),
  PLAN_BASIC_SOCKET_BYTES_PER_MINUTE: whole(
    'Bytes a minute that one WebSocket connection may send before it is closed, plan basic. Unset: no less than 4096 for each message.',
    8_192_000,
    65_536,
  ),
  PLAN_PRO_SOCKET_BYTES_PER_MINUTE: whole(
    'Bytes a minute that one WebSocket connection may send before it is closed, plan pro. Unset: no less than 4096 for each message.',
    20_480_000,
    65_536,
  ),
  STREAM_BUFFER_BYTES: whole(
    'What may wait unsent for a WebSocket client that reads slowly, bytes; past it the connection is closed.',
    4_194_304,
    65_536,
  ),
  ANONYMOUS_REQUESTS_PER_MINUTE: whole('Requests a minute per address that come with no key or token, or an unknown one.', 1000),
  ANONYMOUS_WEIGHT_PER_MINUTE: whole('Weight a minute of those requests. Unset: no less than 20 for each request.', 20_000),
  TRIAL_DAYS: whole('Length of a new account’s trial, days.', 3, 0, 36_500),
  SUBSCRIPTION_GRACE_DAYS: whole('How long an account may go on after what was paid for is over, days.', 3, 0, 36_500),
  EXPIRED_ACCOUNT_DAYS: whole(
    'An account that may not trade any more is closed after this many days: orders canceled, positions closed.',
    30,
    0,
    36_500,
  ),
  PAYMENT_PROVIDER: Type.Union([Type.Literal('test'), Type.Literal('stripe')], {
    description: 'Who takes payments: `stripe`, or `test`, where no money moves and a button pays.',
    default: 'test',
  }),
  ALLOW_TEST_PAYMENTS: Type.Union([Type.Literal('no'), Type.Literal('yes')], {
    description: 'Whether test payments may be taken where others than this machine reach the API: a button pays there, too.',
    default: 'no',
  }),
  STRIPE_API_KEY: Type.String({
    description: 'Secret key of the Stripe account; needed for PAYMENT_PROVIDER=stripe.',
    default: '',
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    description: 'Secret that signs Stripe’s webhooks; needed with STRIPE_API_KEY.',
    default: '',
  }),
  STRIPE_API_BASE: text('Base address of Stripe’s API.', 'https://api.stripe.com'),
  PUBLIC_URL: text('Where users see this deployment: payers come back to `<PUBLIC_URL>/billing`.', 'http://127.0.0.1:3000'),
  INVOICE_POLL_INTERVAL_MS: whole(
    'How often open invoices are looked for that the provider is to be asked about, ms.',
    10_000,
    100,
  ),
  INVOICE_TTL_HOURS: whole(
    'How long an invoice can be paid, hours; one for the next period until its grace is over.',
    24,
    1,
    8760,
  ),
  RENEWAL_DAYS: whole('How many days before the end of what is paid for the next invoice is made.', 5, 0, 27),
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
  CONNECTIONS: whole(
    'Connections to one API process. One more is taken only by an address with few, in place of an idle one of the address with most.',
    10_000,
    10,
  ),
  ADDRESS_CONNECTIONS: whole(
    'Connections of one network address to one API process; not counted behind proxies (PROXY_HOPS).',
    4000,
  ),
  ADDRESS_HALF_OPEN: whole(
    'Those of them that have sent no whole request yet; also bodies of one caller that are being received at once.',
    2000,
  ),
  BODY_LIMIT_BYTES: whole('Largest request body, and largest message of a socket, bytes.', 1_048_576),
  ANONYMOUS_BODY_LIMIT_BYTES: whole('Largest body of a request without a valid key or access token, bytes.', 16_384, 1024),
  REQUEST_BYTES_PER_CALLER: whole(
    'What bodies of one user (without a credential: of one address) may hold until they are answered, bytes; more is refused.',
    33_554_432,
    65_536,
  ),
  REQUEST_BYTES: whole(
    'What bodies of all may hold in one process, bytes: half for users, half for strangers. When that is half full, each may hold a sixteenth.',
    268_435_456,
    131_072,
  ),
});

export type Config = Readonly<Static<typeof ConfigSchema>>;

/**
 * Reads the configuration from environment variables; unknown ones are ignored, empty ones count as absent.
 * @throws Error that names every bad variable, what is wrong with its value, and what it is for
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(ConfigSchema.properties).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const validate = new Ajv({ useDefaults: true, coerceTypes: true, allErrors: true }).compile<Config>(ConfigSchema);
  const isGiven = new Set(Object.keys(given));
  if (!validate(given)) throw new Error(configError(validate.errors ?? []));
  Object.assign(given, grownDefaults(given as Config, isGiven));
  const { ADMIN_PASSWORD, CORS_ORIGINS } = given as Config;
  refuseShortSecrets(given as Config);
  if (ADMIN_PASSWORD !== '' && ADMIN_PASSWORD.length < 16) {
    throw new Error('ADMIN_PASSWORD must have 16 characters or more, or be empty.');
  }
  const notAnOrigin = CORS_ORIGINS.split(',').find((origin) => !isOrigin(origin.trim()));
  if (CORS_ORIGINS !== '' && notAnOrigin !== undefined) {
    throw new Error(`CORS_ORIGINS: "${notAnOrigin}" is no origin such as https://app.example.com, without a path.`);
  }
  if (given['JOURNAL_ACCOUNT_MAX_BYTES'] > given['JOURNAL_MAX_BYTES']) {
    throw new Error('JOURNAL_ACCOUNT_MAX_BYTES must not be above JOURNAL_MAX_BYTES, of which it is a part.');
  }
  refuseMixedPayments(given as Config);
  refusePublicTestPayments(given as Config);
  refuseSmallShares(given as Config);
  const { HTTPS_KEY, HTTPS_CERT } = given as Config;
  if ((HTTPS_KEY === '') !== (HTTPS_CERT === ''))
    throw new Error('HTTPS_KEY and HTTPS_CERT are files that need each other: give both or neither.');
  return Object.freeze(given as Config);
}

/** The unit of a default that grows with a limit which was raised, so that raising the limit is enough. */
const GROWN_DEFAULTS = [
  ['PLAN_BASIC_WEIGHT_PER_MINUTE', 'PLAN_BASIC_REQUESTS_PER_MINUTE', 20],
  ['PLAN_PRO_WEIGHT_PER_MINUTE', 'PLAN_PRO_REQUESTS_PER_MINUTE', 20],
  ['ANONYMOUS_WEIGHT_PER_MINUTE', 'ANONYMOUS_REQUESTS_PER_MINUTE', 20],
  ['PLAN_BASIC_SOCKET_BYTES_PER_MINUTE', 'PLAN_BASIC_MESSAGES_PER_MINUTE', 4096],
  ['PLAN_PRO_SOCKET_BYTES_PER_MINUTE', 'PLAN_PRO_MESSAGES_PER_MINUTE', 4096],
] as const;

function grownDefaults(config: Config, isGiven: ReadonlySet<string>): Partial<Config> {
  const grown = GROWN_DEFAULTS.filter(([name]) => !isGiven.has(name));
  return Object.fromEntries(grown.map(([name, limit, each]) => [name, Math.max(config[name], each * config[limit])]));
}

const isOrigin = (text: string): boolean => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

/** Test payments beside a Stripe account would be a way to pay with nothing. */
function refuseMixedPayments({ PAYMENT_PROVIDER, STRIPE_API_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE }: Config): void {
  const isStripe = PAYMENT_PROVIDER === 'stripe';
  if (isStripe && (STRIPE_API_KEY === '' || STRIPE_WEBHOOK_SECRET === '')) {
    throw new Error('PAYMENT_PROVIDER=stripe needs STRIPE_API_KEY and STRIPE_WEBHOOK_SECRET.');
  }
  if (!isStripe && STRIPE_API_KEY !== '') throw new Error('STRIPE_API_KEY is given: PAYMENT_PROVIDER must be stripe.');
  if (!URL.canParse(STRIPE_API_BASE)) throw new Error('STRIPE_API_BASE must be an address.');
}

/** Where strangers reach the API, a plan that a button pays has to be meant. */
function refusePublicTestPayments({ PAYMENT_PROVIDER, ALLOW_TEST_PAYMENTS, HOST, PUBLIC_URL }: Config): void {
  if (!URL.canParse(PUBLIC_URL)) throw new Error('PUBLIC_URL must be an address such as https://paper.example.com.');
  if (PAYMENT_PROVIDER !== 'test' || ALLOW_TEST_PAYMENTS === 'yes') return;
  const { hostname } = new URL(PUBLIC_URL);
  const open = [
    { name: 'HOST', host: HOST },
    { name: 'PUBLIC_URL', host: hostname.replace(/^\[|\]$/g, '') },
  ].find(({ host }) => !isLoopback(host));
  if (open === undefined) return;
  throw new Error(
    `${open.name} is "${open.host}", which others can reach, and test payments cost nothing: set PAYMENT_PROVIDER=stripe, or ` +
      'ALLOW_TEST_PAYMENTS=yes where plans may be had for free.',
  );
}

/** `localhost`, 127.0.0.0/8 or ::1, as an address is written in a variable. */
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** A user's part that is smaller than the heaviest question would refuse it for ever. */
function refuseSmallShares({ MARKET_WEIGHT_PER_MINUTE, MARKET_WEIGHT_RESERVE, MARKET_WEIGHT_USER_PERCENT }: Config): void {
  const share = Math.floor(((MARKET_WEIGHT_PER_MINUTE - MARKET_WEIGHT_RESERVE) * MARKET_WEIGHT_USER_PERCENT) / 100);
  if (share >= WEIGHT_MAX) return;
  throw new Error(
    `MARKET_WEIGHT_PER_MINUTE less MARKET_WEIGHT_RESERVE leaves a user (MARKET_WEIGHT_USER_PERCENT) ${share}: give ${WEIGHT_MAX} or more.`,
  );
}

function configError(errors: readonly ErrorObject[]): string {
  const names = [...new Set(errors.map((error) => error.instancePath.slice(1)))];
  return names
    .map((name) => {
      const schema: TSchema | undefined = ConfigSchema.properties[name as keyof typeof ConfigSchema.properties];
      const reasons = errors.filter((error) => error.instancePath === `/${name}` && error.keyword !== 'const');
      const choices: readonly TSchema[] | undefined = schema?.['anyOf'];
      const says = choices
        ? [`must be one of ${choices.map((choice) => String(choice['const'])).join(', ')}`]
        : reasons.map((error) => error.message);
      return `${name} ${says.join(', ')}: ${schema?.description ?? ''}`;
    })
    .join('\n');
}
