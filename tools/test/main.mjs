// bin/test: from nothing to one line, "N passed, N failed". It installs what is missing and runs the steps of the
// requested group, all of them even when one fails, each as soon as its needs are met.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCheckout } from '../start/checkout.mjs';
import { findProgram } from '../start/command.mjs';
import { DataFolder } from '../start/dataFolder.mjs';
import { fetchJars, findJava } from '../start/mongoStandIn.mjs';
import { PROJECT_DIR } from '../start/project.mjs';
import { findRedis } from '../start/redis.mjs';
import { Interrupted, Refusal } from '../start/refusal.mjs';
import { bold, say } from '../start/say.mjs';
import { installPart } from '../start/systemPackages.mjs';
import { prepareChromium } from './chromium.mjs';
import { parseOptions, USAGE } from './options.mjs';
import { prepareOtherNode } from './otherNode.mjs';
import { preparePython } from './pythonClients.mjs';
import { runSteps } from './schedule.mjs';
import { LAST, PLACES, STEPS } from './steps.mjs';

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return say(USAGE);
  const data = new DataFolder(`${PROJECT_DIR}/var/test`);
  const interruption = new AbortController();
  const onSignal = () => interruption.abort();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(signal, onSignal);
  try {
    await runAll(options, data, interruption.signal);
  } catch (error) {
    interruption.abort();
    throw error;
  } finally {
    data.close();
  }
}

/**
 * @param {ReturnType<typeof parseOptions>} options
 * @param {DataFolder} data
 * @param {AbortSignal} signal
 */
async function runAll({ group, seeds, seed }, data, signal) {
  const ready = prepare(group, data, signal);
  const total = { passed: 0, failed: 0 };
  /** @type {string[]} */
  const failedSteps = [];
  const scriptsFile = data.folder('scripts-run.txt');
  rmSync(scriptsFile, { force: true });
  /** @param {import('./steps.mjs').Step} step */
  const runStep = async (step) => {
    const programs = await ready[step.needs ?? 'checkout'];
    const env = { ...programs, SEED: String(seed), SEEDS: String(seeds), ...step.env };
    const beganAtMs = Date.now();
    const countsFile = data.folder(`counts-${step.name.replaceAll(' ', '-')}.json`);
    rmSync(countsFile, { force: true });
    const { ok, killedBy } = await run(step.command, { ...env, COUNTS_FILE: countsFile, SCRIPTS_FILE: scriptsFile }, signal);
    const counts = step.tests ? countsOf(countsFile, ok) : { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
    total.passed += counts.passed;
    total.failed += counts.failed;
    const isGood = ok && counts.failed === 0;
    if (!isGood) failedSteps.push(step.name);
    const seconds = ((Date.now() - beganAtMs) / 1000).toFixed(1);
    const shown = step.tests ? `${counts.passed} passed, ${counts.failed} failed` : isGood ? 'ok' : 'FAILED';
    const longest = counts.longest ? `; longest ${counts.longest.file} (${counts.longest.seconds} s)` : '';
    const killed = killedBy ? `; ended by ${killedBy}` : '';
    say(`${isGood ? '✓' : bold('✗')} ${step.name}: ${shown} (${seconds} s${longest}${killed})`);
  };
  say(`Seed ${seed} (bin/test ${group} --seed ${seed} repeats this run)`);
  const steps = STEPS.filter(({ groups, isLong }) => groups.includes(group) || (group === 'all' && !isLong));
  const needOf = (/** @type {import('./steps.mjs').Step} */ { needs = 'checkout' }) => ready[needs];
  await Promise.all([...Object.values(ready), runSteps(steps, { places: PLACES, needOf, run: runStep })]);
  if (group === 'all') await runStep(LAST);
  if (failedSteps.length > 0) say(`\nFailed: ${failedSteps.join(', ')}; seed ${seed}`);
  say(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}

/**
 * Programs that steps need, by their names, with the variables that show them to the tests. Fetches of npm and fetches of other
 * package managers have nothing in common but the wait; the other managers serve one caller at a time.
 * @param {import('./options.mjs').Group} group
 * @param {DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Record<import('./steps.mjs').Need, Promise<Record<string, string>>>}
 */
function prepare(group, data, signal) {
  const checkout = prepareCheckout(data, signal).then(() => ({}));
  const programs = group === 'unit' ? Promise.resolve({}) : findStores(data, signal);
  const stores = Promise.all([checkout, programs]).then(([, env]) => env);
  const clients = Promise.all([stores, programs.then(() => findClients(group, data, signal))]).then(([env, own]) => ({
    ...env,
    ...own,
  }));
  const otherNode = checkout.then(async () => (group === 'all' ? { NODE: await prepareOtherNode(data, signal) } : {}));
  const showsPages = group === 'all' || group === 'browser';
  const browser = clients.then(async (env) => ({ ...env, ...(showsPages ? await prepareChromium(data, signal) : {}) }));
  return { checkout, stores, clients, browser, otherNode };
}

/**
 * Redis, the needs of MongoDB's stand-in, and openssl, which makes the certificates of tests.
 * @param {DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, string>>}
 */
async function findStores(data, signal) {
  await findRedis(data, signal);
  const logFile = data.logFile('prepare');
  if (!findProgram('openssl') && !(await installPart('openssl', 'openssl', { logFile, signal }))) {
    throw new Refusal('The tests of TLS need openssl: install it.');
  }
  if (findProgram('mongod')) return {};
  await findJava(data, signal);
  return { MONGO_JARS: sharedJars() ?? (await fetchJars(data, signal)) };
}

/**
 * The python clients, and the tool that tests alerts.
 * @param {import('./options.mjs').Group} group
 * @param {DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, string>>}
 */
async function findClients(group, data, signal) {
  if (group === 'unit' || group === 'faults' || group === 'browser') return {};
  const logFile = data.logFile('prepare');
  if (!findProgram('promtool') && !(await installPart('prometheus', 'promtool', { logFile, signal }))) {
    throw new Refusal('The tests of the alerts need promtool: install prometheus.');
  }
  return { PYTHON: await preparePython(data, signal) };
}

/** The stand-in's libraries that bin/start has fetched into its default folder already. */
function sharedJars() {
  const jars = join(PROJECT_DIR, 'var', 'mongo-jars');
  return existsSync(jars) && readdirSync(jars).length > 0 ? jars : undefined;
}

/**
 * @param {readonly string[]} words
 * @param {Record<string, string>} env `NODE` is the Node that runs it, where that is another one than ours
 * @param {AbortSignal} signal
 * @returns {Promise<{ ok: boolean, killedBy: string | null }>} `killedBy`: the signal that ended it from outside, as a lack of memory does
 */
async function run(words, env, signal) {
  if (signal.aborted) throw new Interrupted();
  const child = spawn(env['NODE'] ?? process.execPath, words, {
    cwd: PROJECT_DIR,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Its own group, for mocha runs in a process that mocha starts: a signal to the first alone would leave the tests running.
    detached: true,
  });
  const end = () => process.kill(-(/** @type {number} */ (child.pid)), 'SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const [code, killedBy] = await once(child, 'exit');
  signal.removeEventListener('abort', end);
  if (signal.aborted) throw new Interrupted();
  return { ok: code === 0, killedBy };
}

/**
 * A run that died before its end, or failed without a failed test, counts as one failure.
 * @param {string} file
 * @param {boolean} ok
 * @returns {{ passed: number, failed: number, longest?: { file: string, seconds: number } }}
 */
function countsOf(file, ok) {
  const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: ok ? 0 : 1 };
  return !ok && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

main().then(
  () => process.exit(),
  (error) => {
    const isExpected = error instanceof Refusal || error instanceof Interrupted;
    process.stderr.write(`${isExpected ? error.message : error.stack}\n`);
    process.exit(1);
  },
);
