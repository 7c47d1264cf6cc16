// bin/start: from a fresh checkout to a filled order. It reads from top to bottom: options, data folder, stores,
// market, roles, demo account; and the stop in reverse. Plain Node without packages, because it installs the packages.

import { rmSync } from 'node:fs';
import { BUILD, PACKAGES, prepareCheckout } from './checkout.mjs';
import { ciFolder, startCi } from './ci.mjs';
import { requireConfiguration } from './configuration.mjs';
import { dashboardLink } from './dashboardLink.mjs';
import { DataFolder } from './dataFolder.mjs';
import { demoAccount, dryRun, firstTrades, keepDemo, keptDemo } from './demo.mjs';
import { installAll } from './installAll.mjs';
import { chooseSource, probeVenue, rememberSource, requireVenue, startMarketSource } from './market.mjs';
import { prometheusPort, startObserving } from './observe.mjs';
import { closedPorts, ofOneMachine } from './ofOneMachine.mjs';
import { parseOptions, USAGE } from './options.mjs';
import { requirePort } from './ports.mjs';
import { Interrupted, Refusal } from './refusal.mjs';
import { startRoles } from './roles.mjs';
import { openRootAccount } from './rootAccount.mjs';
import { beginProgress, bold, dim, endProgress, say, sayOnStderr, sayStep } from './say.mjs';
import { endProcess, leftRunning } from './service.mjs';
import { startStores } from './stores.mjs';

/** The steps of a start that this file takes; checkout.mjs has the first ones. */
const STORES = 'Redis and MongoDB';
const MARKET = 'Market data';
const ROLES = 'The exchange itself';
const OBSERVING = 'Prometheus and Grafana';
const DEMO = 'Demo account';

/**
 * @typedef {{ stop: () => Promise<void>, kill: () => void }} Stoppable a part that was started, in this process or in a process of
 * its own
 */

/** Processes that a killed start may have left running and this start cannot take over, in the order in which they are stopped. */
const NOT_ADOPTED = ['grafana', 'prometheus', 'exchange', 'api', 'jobs', 'actors', 'market', 'emulator', 'replay'];

async function main() {
  const options = parseOptions(process.argv.slice(2), process.cwd());
  if (options.help) return say(USAGE);
  requireNode20();

  /** @type {Stoppable[]} */
  const services = [];
  if (options.ci) sayOnStderr();
  /** @type {DataFolder | undefined} */
  let data;
  const leave = () => leaveFolder(data, options);
  const interruption = onSignals(services, { leave, attached: options.attached });
  try {
    data = options.isTemporary || options.ci ? ciFolder(options) : new DataFolder(options.data);
    if (options.install) return await installAll(data, interruption);
    await endLeftRunning(data);
    if (options.ci) await startCi(options, data, services, interruption);
    else await start(options, data, services, interruption);
    if (!options.once) await interruption.happened;
    else say(dim('Stopping again (--once); the demo account stays.'));
  } catch (error) {
    if (!(error instanceof Interrupted) || options.once) throw error;
  } finally {
    endProgress();
    for (const service of [...services].reverse()) await service.stop();
    leave();
    if (interruption.signal.aborted) say('Stopped.');
  }
}

/**
 * @param {import('./options.mjs').StartOptions} options
 * @param {DataFolder} data
 * @param {Stoppable[]} services whatever is started is pushed here first
 * @param {{ signal: AbortSignal }} interruption
 */
async function start(options, data, services, { signal }) {
  const beganAtMs = Date.now();
  const onService = (/** @type {Stoppable} */ service) => void services.push(service);
  const probe = probeVenue(options);
  const host = process.env['HOST'] || '127.0.0.1';
  await requirePort(options.port, host);
  if (options.market === 'live') requireVenue(options, await probe);

  beginProgress([PACKAGES, BUILD, STORES, MARKET, ROLES, DEMO, ...(options.observe ? [OBSERVING] : [])]);
  await prepareCheckout(data, signal);
  data.shut();
  const kept = options.newDemo ? undefined : keptDemo(data);
  const source = chooseSource(data, options, await probe);
  const baseUrl = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${options.port}`;
  const reach = { HOST: host, PORT: String(options.port), PUBLIC_URL: process.env['PUBLIC_URL'] || baseUrl };
  const listening = { ...reach, NODE_ID: '', HTTPS_KEY: '', HTTPS_CERT: '', ...ofOneMachine(reach) };
  await requireConfiguration({ ...process.env, ...listening, MARKET_SOURCE: source.name, MARKET_URL: source.url });
  sayStep(STORES);
  const [redis, mongo] = await startStores(data, onService, signal);
  say(dim(`Redis ${redis.how}; MongoDB ${mongo.how}`));
  sayStep(MARKET);
  const market = await startMarketSource(data, options, { source, onService, signal });

  const port = await prometheusPort();
  const env = {
    ...{ REDIS_URL: redis.url, MONGO_URL: mongo.url, MARKET_SOURCE: market.source, MARKET_URL: market.url },
    ...listening,
    WEBHOOK_CLOSED_PORTS: closedPorts([redis.url, mongo.url, market.url], [redis.port, port]),
    MAIL_DIR: process.env['MAIL_DIR'] || data.folder('mail'),
    PASSWORD_RESET_URL: process.env['PASSWORD_RESET_URL'] || `${baseUrl}/reset-password`,
    VERIFY_EMAIL_URL: process.env['VERIFY_EMAIL_URL'] || `${baseUrl}/verify-email`,
    // The demo account reads no mail.
    REQUIRE_VERIFIED_EMAIL: process.env['REQUIRE_VERIFIED_EMAIL'] || 'no',
  };
  sayStep(ROLES);
  const metrics = await startRoles(data, { env, baseUrl, mayBeStale: kept !== undefined, onService, signal });
  sayStep(DEMO);
  const { demo: account, isNew } = await demoAccount(kept, { data, baseUrl, env, signal });
  const proof = isNew ? toldOf(await firstTrades(account, signal)) : toldOfDryRun(await dryRun(account, signal));
  // Before Grafana, which takes the same port when it is free.
  const demo = options.rootAccount ? await atTheRoot(account, onService) : account;
  keepDemo(data, demo);
  rememberSource(data, source);
  if (options.observe) sayStep(OBSERVING);
  const observed = options.observe ? await startObserving(data, { metrics, port, onService, signal }) : [];
  const dashboard = options.once ? undefined : await dashboardLink(demo, { env, signal });
  endProgress();
  const seconds = ((Date.now() - beganAtMs) / 1000).toFixed(1);
  if (Number(process.versions.node.split('.')[0]) < 22) say(dim(`Node ${process.versions.node} serves; Node 22 is advised.`));
  greet({ proof, demo, dashboard, metrics, observed, source: market.source, data, seconds, once: options.once });
}

/**
 * @param {import('./demo.mjs').Demo} demo
 * @param {(opened: Stoppable) => void} onService
 * @returns {Promise<import('./demo.mjs').Demo>} with the address, as demo.json has it
 */
async function atTheRoot(demo, onService) {
  const root = await openRootAccount(demo);
  onService(root);
  return { ...demo, rootUrl: root.url };
}

/** @param {readonly import('./demo.mjs').Fill[]} fills of the new account */
const toldOf = ([bought, sold]) =>
  `Bought ${bought?.size} BTC at ${bought?.price} USD and sold them at ${sold?.price}: the demo account is made and flat, with two fills.`;

/** @param {import('./demo.mjs').Tried} tried */
const toldOfDryRun = ({ fill, refused }) =>
  fill
    ? `The demo account is as it was. A dry run would buy ${fill.size} BTC at ${fill.price} USD.`
    : `The demo account is as it was. A dry run of an order was answered: ${refused}`;

/** @param {DataFolder} data */
async function endLeftRunning(data) {
  for (const name of NOT_ADOPTED) {
    const left = leftRunning(data, name);
    if (left) await endProcess(left);
  }
}

/**
 * @param {object} shown
 * @param {string} shown.proof that the exchange trades, or why it does not now
 * @param {import('./demo.mjs').Demo} shown.demo
 * @param {{ url: string, isLink: boolean } | undefined} shown.dashboard
 * @param {readonly { role: string, url: string }[]} shown.metrics
 * @param {readonly { name: string, url: string }[]} shown.observed
 * @param {string} shown.source
 * @param {DataFolder} shown.data
 * @param {string} shown.seconds
 * @param {boolean} shown.once
 */
function greet({ proof, demo, dashboard, metrics, observed, source, data, seconds, once }) {
  say('');
  say(bold(`${proof} (${seconds} s after the start)`));
  say('');
  if (dashboard)
    say(
      `  Dashboard          ${dashboard.url}${dashboard.isLink ? dim('  (opens the demo account, once, within an hour)') : ''}`,
    );
  say(`  Address for a bot  ${demo.baseUrl}/v1/exchanges/perpx/key/${demo.apiKey}`);
  if (demo.rootUrl) say(`  Without a path     ${demo.rootUrl}  ${dim('(/info, /exchange, /ws; the demo account, no key)')}`);
  say(`  API key            ${demo.apiKey}  ${dim(`(header X-API-Key; all of the demo account: ${data.folder('demo.json')})`)}`);
  say(`  Prices             ${source}`);
  say(`  Metrics, /health   ${metrics.map(({ role, url }) => `${role} ${url}`).join('  ')}`);
  for (const { name, url } of observed) say(`  ${name.padEnd(19)}${url}`);
  say(`  Logs               ${data.folder('logs')}/api.log, actors.log, …`);
  if (!once) say('  To stop            Ctrl-C');
  say('');
}

/**
 * @param {DataFolder | undefined} data undefined: there is none yet
 * @param {import('./options.mjs').StartOptions} options
 */
function leaveFolder(data, { isTemporary }) {
  data?.close();
  if (data && isTemporary) rmSync(data.path, { recursive: true, force: true });
}

/**
 * The first Ctrl-C or SIGTERM asks for an orderly stop, and so does the end of standard input with --attached. A second signal ends all
 * that was started at once.
 * @param {readonly Stoppable[]} services
 * @param {{ leave: () => void, attached: boolean }} options
 */
function onSignals(services, { leave, attached }) {
  const asked = new AbortController();
  /** @type {(value?: unknown) => void} */
  let tell = () => undefined;
  const happened = new Promise((resolve) => {
    tell = resolve;
  });
  const onSignal = () => {
    if (asked.signal.aborted) {
      for (const service of [...services].reverse()) service.kill();
      leave();
      process.exit(130);
    }
    say('\nStopping …');
    asked.abort();
    tell();
  };
  if (attached) process.stdin.resume().once('close', () => asked.signal.aborted || onSignal());
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, onSignal);
  return { signal: asked.signal, happened };
}

function requireNode20() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isTooOld = major < 20 || (major === 20 && minor < 19);
  if (isTooOld) throw new Refusal(`Node ${process.versions.node} is too old: install Node.js 22, or 20.19 at least.`);
}

main().then(
  () => process.exit(0),
  (error) => {
    const isExpected = error instanceof Refusal || error instanceof Interrupted;
    process.stderr.write(`${isExpected ? error.message : error.stack}\n`);
    process.exit(1);
  },
);
