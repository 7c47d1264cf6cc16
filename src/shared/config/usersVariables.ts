// The variables of users, of their plans, and of the billing of plans.
import { Type } from '@sinclair/typebox';
import { oneOf, text, textOrNone, whole } from './processVariables.ts';

/** Secrets, sessions, passwords and mails. */
export const usersVariables = {
  JWT_SECRET: textOrNone(
    'Key that signs access tokens (HS256), 32 characters or more. Empty, where no others reach the API only: made at first start, kept in MongoDB.',
  ),
  JWT_SECRETS_OLD: textOrNone(
    'Keys that are accepted beside JWT_SECRET (the one before it, or the next), separated by commas, the oldest last; `kept` = the one in MongoDB.',
  ),
  DEPLOYMENT_SECRET: textOrNone(
    'Secret behind device tokens, kept answers and hashes of e-mail addresses, 32 characters or more; never changes. Empty, where no others reach the API only: in MongoDB.',
  ),
  JWT_TTL_SECONDS: whole('Life of an access token, seconds.', 86_400),
  SESSION_TOKEN_SECONDS: whole('Life of an access token of a session that a browser keeps in its cookie, seconds.', 900, 5),
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
  WEBHOOK_NETWORKS: textOrNone(
    'Networks beside the internet that webhooks of users may reach, e.g. `192.168.7.0/24,fd00::/8`, there also by http and at other ports than 443. Empty: none.',
  ),
  WEBHOOK_CLOSED_PORTS: textOrNone(
    'Ports that no webhook may reach in WEBHOOK_NETWORKS, e.g. `6379,27017`: those of the stores and of metrics. `bin/start` names its own.',
  ),
  TELEGRAM_TOKEN: Type.String({
    description: 'Token of a Telegram bot that sends alerts to chats of users, for api and jobs. Empty: no alerts by Telegram.',
    default: '',
    pattern: '^([0-9]{1,20}:[A-Za-z0-9_-]{20,100})?$',
  }),
  TELEGRAM_API_BASE: text('Base address of Telegram’s Bot API.', 'https://api.telegram.org'),
  REQUIRE_VERIFIED_EMAIL: oneOf(
    ['', 'yes', 'no'],
    '',
    'Whether keys are made for users with a verified e-mail address only: `yes` or `no`. Empty: yes with SMTP_URL.',
  ),
};

/** The limits of the keys of a plan, and the limits of callers without a key. */
export const planVariables = {
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
    'What may wait, unsent or half received, at all WebSocket connections of one user to one process, bytes; past it the fullest is closed. All users: 16 times as much.',
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
};

/** The billing of plans: trials, invoices and the provider of payments. */
export const billingVariables = {
  TRIAL_DAYS: whole('Length of a new account’s trial, days.', 3, 0, 36_500),
  SUBSCRIPTION_GRACE_DAYS: whole('How long an account may go on after what was paid for is over, days.', 3, 0, 36_500),
  EXPIRED_ACCOUNT_DAYS: whole(
    'An account that may not trade any more is closed after this many days: orders canceled, positions closed.',
    30,
    0,
    36_500,
  ),
  PAYMENT_PROVIDER: oneOf(
    ['test', 'stripe'],
    'test',
    'Who takes payments: `stripe`, or `test`, where no money moves and a button pays.',
  ),
  ALLOW_TEST_PAYMENTS: oneOf(
    ['no', 'yes'],
    'no',
    'Whether test payments may be taken where others than this machine reach the API (HOST, PUBLIC_URL, PROXY_HOPS): a button pays there, too.',
  ),
  STRIPE_API_KEY: textOrNone('Secret key of the Stripe account; needed for PAYMENT_PROVIDER=stripe.'),
  STRIPE_WEBHOOK_SECRET: textOrNone('Secret that signs Stripe’s webhooks; needed with STRIPE_API_KEY.'),
  STRIPE_API_BASE: text('Base address of Stripe’s API.', 'https://api.stripe.com'),
  PUBLIC_URL: text(
    'Where users see this deployment: its documentation has this address in it, and payers come back to `<PUBLIC_URL>/billing`.',
    'http://127.0.0.1:3000',
  ),
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
};
