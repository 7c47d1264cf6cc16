// The one schema of the configuration: every variable with its unit, default and meaning, and the rules about several variables together.
// A test compares it with `.env.example` and with the tables of docs/configuration.md.

import { isIPv4 } from 'node:net';
import { type Static, Type } from '@sinclair/typebox';
import { WEIGHT_MAX } from '../domain/requestWeight.ts';
import { marketVariables } from './marketVariables.ts';
import { actorsVariables, processVariables, reachVariables } from './processVariables.ts';
import { readNetworks, readPorts } from './publicAddress.ts';
import { redisAddress } from './redisAddress.ts';
import { billingVariables, planVariables, usersVariables } from './usersVariables.ts';

/** In the order in which the documents tell them. */
export const ConfigSchema = Type.Object({
  ...processVariables,
  ...usersVariables,
  ...actorsVariables,
  ...marketVariables,
  ...planVariables,
  ...billingVariables,
  ...reachVariables,
});

export type Config = Readonly<Static<typeof ConfigSchema>>;

/** @throws Error with a sentence that says what to do */
export function refuseWrongTogether(config: Config): void {
  refuseShortSecrets(config);
  redisAddress(config.REDIS_URL); // throws where it is none
  refuseShortPassword(config);
  refuseWrongOrigins(config);
  refuseWrongJournalBounds(config);
  refuseMixedPayments(config);
  refusePublicTestPayments(config);
  refuseControlByOthers(config);
  refuseSmallShares(config);
  refuseHalfOfHttps(config);
  readNetworks(config.WEBHOOK_NETWORKS); // throws where it is none
  readPorts(config.WEBHOOK_CLOSED_PORTS);
  refuseWrongTelegram(config);
}

function refuseWrongTelegram({ TELEGRAM_API_BASE: base }: Config): void {
  const { protocol = '', search = '', hash = '' } = URL.canParse(base) ? new URL(base) : {};
  if (/^https?:$/.test(protocol) && search === '' && hash === '') return;
  throw new Error('TELEGRAM_API_BASE must be an address such as https://api.telegram.org.');
}

function refuseShortPassword({ ADMIN_PASSWORD }: Config): void {
  if (ADMIN_PASSWORD === '' || ADMIN_PASSWORD.length >= 16) return;
  throw new Error('ADMIN_PASSWORD must have 16 characters or more, or be empty.');
}

function refuseWrongOrigins({ CORS_ORIGINS }: Config): void {
  const notAnOrigin = CORS_ORIGINS.split(',').find((origin) => !isOrigin(origin.trim()));
  if (CORS_ORIGINS === '' || notAnOrigin === undefined) return;
  throw new Error(`CORS_ORIGINS: "${notAnOrigin}" is no origin such as https://app.example.com, without a path.`);
}

function refuseWrongJournalBounds({ JOURNAL_ACCOUNT_MAX_BYTES, JOURNAL_MAX_BYTES }: Config): void {
  if (JOURNAL_ACCOUNT_MAX_BYTES <= JOURNAL_MAX_BYTES) return;
  throw new Error('JOURNAL_ACCOUNT_MAX_BYTES must not be above JOURNAL_MAX_BYTES, of which it is a part.');
}

function refuseHalfOfHttps({ HTTPS_KEY, HTTPS_CERT }: Config): void {
  if ((HTTPS_KEY === '') === (HTTPS_CERT === '')) return;
  throw new Error('HTTPS_KEY and HTTPS_CERT are files that need each other: give both or neither.');
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
function refusePublicTestPayments(config: Config): void {
  const { PAYMENT_PROVIDER, ALLOW_TEST_PAYMENTS, PUBLIC_URL } = config;
  if (!URL.canParse(PUBLIC_URL)) throw new Error('PUBLIC_URL must be an address such as https://paper.example.com.');
  const reached = reachedByOthers(config);
  if (reached === undefined || PAYMENT_PROVIDER !== 'test' || ALLOW_TEST_PAYMENTS === 'yes') return;
  throw new Error(
    `${reached}, which others can reach, and test payments cost nothing: set PAYMENT_PROVIDER=stripe, or ` +
      'ALLOW_TEST_PAYMENTS=yes where plans may be had for free.',
  );
}

/** A user who can move the market decides about the liquidation of others. */
function refuseControlByOthers(config: Config): void {
  const { CONTROL, MARKET_SOURCE, MARKET_URL } = config;
  if (CONTROL === 'off') return;
  if (MARKET_SOURCE !== 'emulated') {
    throw new Error(
      `CONTROL=on moves an emulated market, and MARKET_SOURCE is ${MARKET_SOURCE}: set it to emulated, or CONTROL=off.`,
    );
  }
  if (!URL.canParse(MARKET_URL) || !isLoopback(new URL(MARKET_URL).hostname)) {
    throw new Error('CONTROL=on asks an emulated venue on this machine: MARKET_URL must be a loopback address.');
  }
  const reached = reachedByOthers(config);
  if (reached === undefined) return;
  throw new Error(`${reached}, which others can reach, and CONTROL=on lets any user move the market: set CONTROL=off.`);
}

/** A user's part that is smaller than the heaviest question would refuse it for ever. */
function refuseSmallShares({ MARKET_WEIGHT_PER_MINUTE, MARKET_WEIGHT_RESERVE, MARKET_WEIGHT_USER_PERCENT }: Config): void {
  const share = Math.floor(((MARKET_WEIGHT_PER_MINUTE - MARKET_WEIGHT_RESERVE) * MARKET_WEIGHT_USER_PERCENT) / 100);
  if (share >= WEIGHT_MAX) return;
  throw new Error(
    `MARKET_WEIGHT_PER_MINUTE less MARKET_WEIGHT_RESERVE leaves a user (MARKET_WEIGHT_USER_PERCENT) ${share}: give ${WEIGHT_MAX} or more.`,
  );
}

/** No secret may be so short that it could be guessed. */
const LENGTH_MIN = 32;

/** @throws Error that names the variable whose secret is too short */
function refuseShortSecrets({
  JWT_SECRET,
  JWT_SECRETS_OLD,
  DEPLOYMENT_SECRET,
}: Readonly<Record<'JWT_SECRET' | 'JWT_SECRETS_OLD' | 'DEPLOYMENT_SECRET', string>>): void {
  for (const [name, secret] of Object.entries({ JWT_SECRET, DEPLOYMENT_SECRET })) {
    if (secret !== '' && secret.length < LENGTH_MIN)
      throw new Error(`${name} must have ${LENGTH_MIN} characters or more, or be empty.`);
  }
  const old = JWT_SECRETS_OLD === '' ? [] : JWT_SECRETS_OLD.split(',');
  if (old.some((secret) => secret !== 'kept' && secret.length < LENGTH_MIN)) {
    throw new Error(`JWT_SECRETS_OLD: each key must have ${LENGTH_MIN} characters or more, or be the word "kept".`);
  }
}

// Whether others than this machine reach a deployment, as far as its variables tell. What is right for a laptop only hangs on it: a
// signing key in the database, a deployment without a secret, plans that a button pays.

type Reach = Pick<Config, 'HOST' | 'PUBLIC_URL' | 'PROXY_HOPS'>;

/**
 * The variable by which others reach the deployment, for the text of a refusal: `HOST is "0.0.0.0"`.
 * @returns undefined when only this machine does
 */
export function reachedByOthers({ HOST, PUBLIC_URL, PROXY_HOPS }: Reach): string | undefined {
  if (!isLoopback(HOST)) return `HOST is "${HOST}"`;
  const { hostname } = new URL(PUBLIC_URL);
  if (!isLoopback(hostname)) return `PUBLIC_URL is "${hostname}"`;
  // Before an API on loopback stands a proxy for the sake of others.
  return PROXY_HOPS > 0 ? `PROXY_HOPS is "${PROXY_HOPS}"` : undefined;
}

/** `localhost`, 127.0.0.0/8 or ::1, as an address is written in a variable or in a URL. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));

/**
 * An API that others reach gets its secrets from the environment: a secret in the database goes with every copy of the database, and it
 * signs the tokens and opens the sealed values of every user.
 * @throws Error when others would reach an API whose secrets are in the database
 */
export function requireSecrets(config: Reach & Pick<Config, 'JWT_SECRET' | 'DEPLOYMENT_SECRET'>): void {
  const { JWT_SECRET, DEPLOYMENT_SECRET } = config;
  const reached = reachedByOthers(config);
  if (reached === undefined) return;
  const missing = Object.entries({ JWT_SECRET, DEPLOYMENT_SECRET }).flatMap(([name, secret]) => (secret === '' ? [name] : []));
  if (missing.length === 0) return;
  throw new Error(
    `${reached}, which others can reach: set ${missing.join(' and ')} to 32 random characters or more each (openssl rand -hex 32). ` +
      'If there were users before, docs/operations.md ("Secrets") says how they stay logged in and keep their second factors.',
  );
}
