// Installs the npm packages that package-lock.json names. npm leaves a record of its installation; while that agrees
// with the lock nothing is done.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchToEnd, runToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
import { whyNotReached } from './reach.mjs';
import { Refusal } from './refusal.mjs';
import { sayDoing } from './say.mjs';

/**
 * @param {object} options
 * @param {string} options.cacheDir npm's cache, removed afterwards
 * @param {string} options.logFile
 * @param {AbortSignal} options.signal
 */
export async function installPackages({ cacheDir, logFile, signal }) {
  if (isInstalled()) return;
  await requireRegistry(signal);
  const count = Object.keys(packagesOf(join(PROJECT_DIR, 'package-lock.json'))).length;
  sayDoing(`Installing up to ${count} npm packages (once)`);
  const env = { ...(process.env['npm_config_cache'] ? {} : { npm_config_cache: cacheDir }), npm_config_update_notifier: 'false' };
  // Not `npm ci`: that insists on a lock entry for the optional packages of every system, and not every registry has them
  // all. The lock decides the versions all the same, and the lock stays as it is.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { ok, output } = await fetchToEnd('npm', args, { cwd: PROJECT_DIR, logFile, signal, env });
  rmSync(cacheDir, { recursive: true, force: true });
  if (!ok)
    throw new Refusal(`The npm packages could not be installed; run "npm install" to see why. It said: ${lastLine(output)}`);
}

/**
 * npm tries for minutes where there is no network.
 * @param {AbortSignal} signal
 * @throws {Refusal} when nothing can be fetched
 */
async function requireRegistry(signal) {
  const names = ['registry', 'proxy', 'https-proxy', 'offline', 'prefer-offline'];
  const { ok, output } = await runToEnd('npm', ['config', 'get', ...names], { cwd: PROJECT_DIR, signal });
  if (!ok) return; // the installation says what is wrong with npm
  const of = Object.fromEntries(output.split('\n').map((line) => line.split('=', 2)));
  const isFetched =
    of['proxy'] === 'null' && of['https-proxy'] === 'null' && of['offline'] !== 'true' && of['prefer-offline'] !== 'true';
  if (!isFetched || process.env['npm_config_cache'] || !URL.canParse(of['registry'])) return;
  const why = await whyNotReached(of['registry']);
  if (why === undefined) return;
  throw new Refusal(
    `The npm packages are not installed, and their registry cannot be reached (${why}): connect this machine to a network for its first start.`,
  );
}

/** Whether node_modules holds what the lock names; packages for other systems may be absent. */
function isInstalled() {
  const recordFile = join(PROJECT_DIR, 'node_modules', '.package-lock.json');
  if (!existsSync(recordFile)) return false;
  const locked = packagesOf(join(PROJECT_DIR, 'package-lock.json'));
  const installed = packagesOf(recordFile);
  return Object.entries(locked).every(([path, { version, optional }]) => {
    if (path === '') return true;
    return installed[path] ? installed[path].version === version : optional === true;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version: string, optional?: boolean }>}
 */
const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** @param {string} output */
const lastLine = (output) => output.trimEnd().split('\n').at(-1) ?? '';
