// Beside a `bin/start --ci` that keeps nothing: a process that cleans up when the start was killed and could not. Its standard input is a pipe
// that the start holds open, so it knows however the start ends; then what is left running is ended, and the folder removed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess } from './service.mjs';

/** The exchange before its stores, as an orderly stop has it. */
const ORDER = ['exchange', 'mongo', 'redis'];

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @returns {{ stop: () => Promise<void>, kill: () => void }}
 */
export function startGuard(data) {
  const words = [fileURLToPath(import.meta.url), data.path];
  // In a session of its own: a signal that kills the start with all of its group does not reach the guard.
  const child = spawn(process.execPath, words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit').catch(() => undefined); // without memory for it the exchange serves all the same
  return {
    kill: () => undefined, // its work begins then
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @param {string} folder */
async function cleanUp(folder) {
  const run = join(folder, 'run');
  const names = existsSync(run) ? readdirSync(run).filter((name) => name.endsWith('.json')) : [];
  const rank = (/** @type {string} */ name) => ORDER.indexOf(name.replace('.json', ''));
  for (const name of names.sort((one, other) => rank(one) - rank(other))) await endProcess(recordOf(join(run, name)));
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {string} file
 * @returns {import('./service.mjs').ServiceRecord | undefined} undefined: gone meanwhile
 */
const recordOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

const [, program = '', folder] = process.argv;
if (program === fileURLToPath(import.meta.url) && folder !== undefined) {
  process.stdin.resume();
  await once(process.stdin, 'close');
  await cleanUp(folder);
}
