// Runs an operator's command against the stores of the `bin/start` that runs in a data folder: their ports are in its
// process records. REDIS_URL and MONGO_URL, where given, name others.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stillRuns } from './processIdentity.mjs';
import { PROJECT_DIR } from './project.mjs';
import { mongoUrl, redisUrl } from './secrets.mjs';

const ENTRY = join(PROJECT_DIR, 'dist', 'admin.js');
/** Commands that need no store. */
const READS_FILES_ONLY = new Set(['backup-check', 'verify']);

/**
 * @param {readonly string[]} args
 * @returns {{ data: string, words: string[] }}
 */
function readArguments(args) {
  const at = args.findIndex((word) => word === '--data' || word.startsWith('--data='));
  const word = args[at];
  if (word === undefined) return { data: join(PROJECT_DIR, 'var'), words: [...args] };
  const isAttached = word !== '--data';
  const folder = isAttached ? word.slice('--data='.length) : args[at + 1];
  if (!folder) end('--data needs a value.', 2);
  return { data: resolve(folder), words: [...args.slice(0, at), ...args.slice(at + (isAttached ? 1 : 2))] };
}

/**
 * @param {string} data
 * @param {'redis' | 'mongo'} name
 * @returns {string} the port
 */
function portOf(data, name) {
  const file = join(data, 'run', `${name}.json`);
  const record = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (record?.port !== undefined && stillRuns(record)) return String(record.port);
  return end(
    `No exchange runs in ${data}: start it with bin/start, name its folder with --data, or set REDIS_URL and MONGO_URL.`,
    1,
  );
}

/**
 * @param {string} data
 * @returns {import('./secrets.mjs').Secrets}
 */
function secretsOf(data) {
  const file = join(data, 'secrets.json');
  if (!existsSync(file)) return end(`${file} is missing: start the exchange in ${data} again.`, 1);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * @param {string} why
 * @param {number} status
 * @returns {never}
 */
function end(why, status) {
  process.stderr.write(`${why}\n`);
  process.exit(status);
}

const { data, words } = readArguments(process.argv.slice(2));
if (!existsSync(ENTRY)) end('Nothing is built yet: run bin/start first, or "npm run build".', 1);
const isHelp = words.filter((word) => word !== '--json').length === 0 || words.includes('--help');
const command = words.find((word) => !word.startsWith('--')) ?? '';
const stores =
  isHelp || READS_FILES_ONLY.has(command)
    ? {}
    : {
        REDIS_URL: process.env['REDIS_URL'] || redisUrl(portOf(data, 'redis'), secretsOf(data).redis),
        MONGO_URL: process.env['MONGO_URL'] || mongoUrl(portOf(data, 'mongo'), secretsOf(data).mongo),
      };
const child = spawn(process.execPath, ['--enable-source-maps', ENTRY, ...words], {
  stdio: 'inherit',
  env: { ...process.env, ...stores },
});
child.once('exit', (code) => process.exit(code ?? 1));
