// The variables of users: secrets, sessions, passwords and mails.
import { Type } from '@sinclair/typebox';
import { text, whole } from './fields.ts';

export const usersVariables = {
  JWT_SECRET: Type.String({
    description:
      'Key that signs access tokens (HS256), 32 characters or more. Empty, where no others reach the API only: made at first start, kept in MongoDB.',
    default: '',
  }),
  JWT_SECRETS_OLD: Type.String({
    description:
      'Keys that are accepted beside JWT_SECRET (the one before it, or the next), separated by commas, the oldest last; `kept` = the one in MongoDB.',
    default: '',
  }),
  DEPLOYMENT_SECRET: Type.String({
    description:
      'Secret behind device tokens, kept answers and hashes of e-mail addresses, 32 characters or more; never changes. Empty, where no others reach the API only: in MongoDB.',
    default: '',
  }),
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
  WEBHOOK_NETWORKS: Type.String({
    description:
      'Networks beside the internet that webhooks of users may reach, e.g. `192.168.7.0/24,fd00::/8`, there also by http and at other ports than 443. Empty: none.',
    default: '',
  }),
  WEBHOOK_CLOSED_PORTS: Type.String({
    description:
      'Ports that no webhook may reach in WEBHOOK_NETWORKS, e.g. `6379,27017`: those of the stores and of metrics. `bin/start` names its own.',
    default: '',
  }),
  TELEGRAM_TOKEN: Type.String({
    description: 'Token of a Telegram bot that sends alerts to chats of users, for api and jobs. Empty: no alerts by Telegram.',
    default: '',
    pattern: '^([0-9]{1,20}:[A-Za-z0-9_-]{20,100})?$',
  }),
  TELEGRAM_API_BASE: text('Base address of Telegram’s Bot API.', 'https://api.telegram.org'),
  REQUIRE_VERIFIED_EMAIL: Type.Union([Type.Literal(''), Type.Literal('yes'), Type.Literal('no')], {
    description: 'Whether keys are made for users with a verified e-mail address only: `yes` or `no`. Empty: yes with SMTP_URL.',
    default: '',
  }),
};
