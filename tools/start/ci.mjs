// `bin/start --ci`: an exchange for tests. The market is emulated and begins the same for a seed, all roles run in one process, one
// account waits, and one line of JSON on stdout tells a program where all of it is. Lines for persons go to stderr. Without --data
// it keeps nothing: its stores are in a folder that is removed at the end.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BUILD, PACKAGES, prepareCheckout } from './checkout.mjs';
import { requireConfiguration } from './configuration.mjs';
import { dashboardLink } from './dashboardLink.mjs';
import { DataFolder } from './dataFolder.mjs';
import { demoAccount, keepDemo, keptDemo } from './demo.mjs';
import { startGuard } from './guard.mjs';
import { closedPorts, ofOneMachine } from './ofOneMachine.mjs';
import { freePort, requirePort } from './ports.mjs';
import { PROJECT_DIR } from './project.mjs';
import { untilHealthy } from './roles.mjs';
import { beginProgress, endProgress, sayStep } from './say.mjs';
import { Service } from './service.mjs';
import { beginStores } from './stores.mjs';

const STORES = 'Redis and MongoDB';
const EXCHANGE = 'The exchange itself';
const ACCOUNT = 'Its account';
const ROLES = ['emulator', 'market', 'actors', 'jobs', 'api'];
/** One process has all of them, and each costs a moment of the start. */
const SHARDS = '4';
const LOOK_EVERY_MS = 20;

/** @param {import('./options.mjs').StartOptions} options */
export function ciFolder({ data, isTemporary }) {
  const programs = resolve(PROJECT_DIR, 'var');
  return new DataFolder(isTemporary ? mkdtempSync(join(tmpdir(), 'paper-ci-')) : data, programs);
}

/**
 * @param {import('./options.mjs').StartOptions} options
 * @param {DataFolder} data
 * @param {{ stop: () => Promise<void>, kill: () => void }[]} services whatever is started is pushed here first
 * @param {{ signal: AbortSignal }} interruption
 */
export async function startCi(options, data, services, { signal }) {
  const beganAtMs = Date.now();
  if (options.isTemporary) services.push(startGuard(data));
  const onService = (/** @type {Service} */ service) => void services.push(service);
  const host = process.env['HOST'] || '127.0.0.1';
  if (options.port !== 0) await requirePort(options.port, host);

  beginProgress([PACKAGES, BUILD, STORES, EXCHANGE, ACCOUNT]);
  await prepareCheckout(data, signal);
  data.shut();
  const kept = options.newDemo ? undefined : keptDemo(data);
  const port = options.port || (await freePort());
  const [venuePort, metricsPort] = [await freePort(), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const given = {
    ...{ MARKET_SOURCE: 'emulated', MARKET_URL: `http://127.0.0.1:${venuePort}`, CONTROL: 'on' },
    ...{
      EMULATOR_SEED: String(options.seed),
      EMULATOR_BEGINS_MS: String(beganAtMs),
      EMULATOR_STILL: options.moving ? 'no' : 'yes',
    },
    ...{ HOST: host, PORT: String(port), NODE_ID: '', HTTPS_KEY: '', HTTPS_CERT: '', PUBLIC_URL: baseUrl, PROXY_HOPS: '0' },
    ...{ METRICS_HOST: '127.0.0.1', METRICS_PORT: String(metricsPort), REQUIRE_VERIFIED_EMAIL: 'no' },
    ...ofOneMachine({ HOST: host, PUBLIC_URL: baseUrl }),
    SHARDS: process.env['SHARDS'] || SHARDS,
    MAIL_DIR: process.env['MAIL_DIR'] || data.folder('mail'),
    PASSWORD_RESET_URL: `${baseUrl}/reset-password`,
    VERIFY_EMAIL_URL: `${baseUrl}/verify-email`,
  };
  sayStep(STORES);
  const checked = requireConfiguration({ ...process.env, ...given });
  const stores = beginStores(data, onService, signal);
  await Promise.allSettled([checked, stores]);
  await checked;
  const { redisUrl, redisPort, mongoUrl, mongo } = await stores;
  const closed = closedPorts([redisUrl, mongoUrl], [redisPort, venuePort, metricsPort]);
  const env = { ...given, REDIS_URL: redisUrl, MONGO_URL: mongoUrl, WEBHOOK_CLOSED_PORTS: closed };
  sayStep(EXCHANGE);
  const args = [join(PROJECT_DIR, 'dist', 'main.js'), ...ROLES];
  const exchange = new Service({ name: 'exchange', data, program: process.execPath, args, env });
  onService(exchange);
  exchange.start();
  // It loads its code while MongoDB starts.
  const readyUrl = `http://127.0.0.1:${metricsPort}/ready`;
  const healthy = untilHealthy([exchange], { baseUrl, readyUrl, mayBeStale: false, signal, everyMs: LOOK_EVERY_MS });
  await Promise.allSettled([mongo, healthy]);
  await mongo;
  await healthy;
  sayStep(ACCOUNT);
  const { demo: account } = await demoAccount(kept, { data, baseUrl, env, signal });
  keepDemo(data, account);
  const dashboard = await dashboardLink(account, { env, signal });
  endProgress();
  const { apiKey, email, password, userId, address } = account;
  const ready = {
    baseUrl,
    exchangeUrl: `${baseUrl}/v1/exchanges/perpx/key/${apiKey}`,
    controlUrl: `${baseUrl}/control`,
    apiKey,
    account: { address, userId, email, password },
    dashboardUrl: dashboard?.url ?? null,
    ...{ seed: options.seed, moving: options.moving, pid: process.pid, logs: data.folder('logs') },
    seconds: (Date.now() - beganAtMs) / 1000,
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}
