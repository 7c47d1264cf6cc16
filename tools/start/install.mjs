// Installs the npm packages that package-lock.json names. npm leaves a record of its installation; while that agrees
// with the lock nothing is done.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
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
  const count = Object.keys(packagesOf(join(PROJECT_DIR, 'package-lock.json'))).length;
  sayDoing(`Installing up to ${count} npm packages (once)`);
  const env = { ...(process.env['npm_config_cache'] ? {} : { npm_config_cache: cacheDir }), npm_config_update_notifier: 'false' };
  // Not `npm ci`: that insists on a lock entry for the optional packages of every system, and not every registry has them
  // all. The versions are those of the lock all the same, and the lock stays as it is.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { ok, output } = await fetchToEnd('npm', args, { cwd: PROJECT_DIR, logFile, signal, env });
  rmSync(cacheDir, { recursive: true, force: true });
  if (!ok)
    throw new Refusal(`The npm packages could not be installed; run "npm install" to see why. It said: ${lastLine(output)}`);
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
