// Downloads a mongod from MongoDB's server, by mongodb-memory-server-core. Whether the server can be reached is asked first, for the library
// tries for long. A download stops when no data has come for 5 seconds; that it failed is recorded in the data folder (found.json), so only
// the first start waits for it.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
import { whyNotReached } from './reach.mjs';
import { Interrupted } from './refusal.mjs';
import { sayDoing } from './say.mjs';

const SILENCE_MS_MAX = 5000;
const SERVER = 'https://fastdl.mongodb.org';

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>} path of a mongod; undefined: it cannot be had
 */
export async function downloadMongod(data, signal) {
  const downloaded = downloadedMongod(data);
  if (downloaded) return downloaded;
  if (data.recallProgram('mongodDownload')?.failed) return undefined;
  const why = await whyNotReached(process.env['MONGOMS_DOWNLOAD_MIRROR'] || SERVER);
  if (why !== undefined) {
    sayDoing(`No MongoDB can be downloaded (${why})`);
    return undefined;
  }
  sayDoing('Downloading a MongoDB (once; ends when no data comes for 5 s)');
  const dir = join(data.programs, 'mongod-binary');
  mkdirSync(dir, { recursive: true });
  const { ok, output } = await runWhileItGrows(dir, data.logFile('prepare'), signal);
  const found = ok ? output.trimEnd().split('\n').at(-1) : undefined;
  if (found && existsSync(found)) {
    data.rememberProgram('mongodDownload', { path: found });
    return found;
  }
  rmSync(dir, { recursive: true, force: true });
  data.rememberProgram('mongodDownload', { failed: new Date().toISOString(), reason: output.trimEnd().split('\n').at(-1) ?? '' });
  return undefined;
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @returns {string | undefined} the mongod that an earlier start has downloaded
 */
export function downloadedMongod(data) {
  const { path } = data.recallProgram('mongodDownload') ?? {};
  return path && existsSync(path) ? path : undefined;
}

/**
 * The download in a process of its own, ended when the folder has not grown for a while.
 * @param {string} dir
 * @param {string} logFile
 * @param {AbortSignal} signal
 */
async function runWhileItGrows(dir, logFile, signal) {
  const silence = new AbortController();
  let bytes = 0;
  let grewAtMs = Date.now();
  const watch = setInterval(() => {
    const now = bytesBelow(dir);
    if (now !== bytes) grewAtMs = Date.now();
    bytes = now;
    if (Date.now() - grewAtMs > SILENCE_MS_MAX) silence.abort();
  }, 100);
  const child = fileURLToPath(new URL('./downloadMongodProcess.mjs', import.meta.url));
  try {
    const either = AbortSignal.any ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    return await runToEnd(process.execPath, [child, dir], { cwd: PROJECT_DIR, logFile, signal: either });
  } catch (error) {
    if (signal.aborted || !(error instanceof Interrupted)) throw error;
    return { ok: false, output: 'No data for 5 s' };
  } finally {
    clearInterval(watch);
  }
}

/** @param {string} dir */
function bytesBelow(dir) {
  let bytes = 0;
  for (const name of readdirSync(dir, { recursive: true })) {
    const file = statSync(join(dir, String(name)), { throwIfNoEntry: false });
    bytes += file?.size ?? 0;
  }
  return bytes;
}
