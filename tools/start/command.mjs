// Runs a program to its end: package managers, compilers. It runs in a process group of its own, so that Ctrl-C
// reaches it, and the programs that it started, only through us.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, createWriteStream, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { whyNotReached } from './reach.mjs';
import { Interrupted } from './refusal.mjs';

/** A registry, or the way to it, fails now and then: so often is asked in all, with this pause before the next time. */
const FETCHES_MAX = 3;
const FETCH_AGAIN_MS = 3000;
/Unknown host|Name or service not known|Temporary failure in name resolution|Network is unreachable|ENETUNREACH/;

/**
 * @param {string} program
 * @returns {string | undefined} its path
 */
export function findProgram(program) {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {object} options
 * @param {string} options.cwd
 * @param {AbortSignal} options.signal ends it, and everything it has started
 * @param {string} [options.logFile] where its output goes; also part of what is answered
 * @param {Record<string, string>} [options.env] beside our own
 * @param {number} [options.timeoutMs]
 * @returns {Promise<{ ok: boolean, output: string }>} `output` is the last part of it
 * @throws {Interrupted}
 */
export async function runToEnd(program, args, options) {
  const { cwd, signal, logFile, env = {}, timeoutMs } = options;
  if (signal.aborted) throw new Interrupted();
  if (logFile) appendFileSync(logFile, `$ ${program} ${args.join(' ')}\n`);
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => endGroup(child.pid);
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  const log = logFile ? createWriteStream(logFile, { flags: 'a' }) : undefined;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      log?.write(chunk);
      output = (output + chunk).slice(-20_000);
    });
  }
  try {
    const [code] = await once(child, 'close');
    if (signal.aborted) throw new Interrupted();
    return { ok: code === 0, output };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return { ok: false, output: /** @type {Error} */ (error).message }; // there is no such program
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    log?.end();
  }
}

/**
 * The same for a program that fetches something and may be run again: it has several tries, but one where its server cannot be reached.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Parameters<typeof runToEnd>[2] & { againMs?: number, server?: string }} options `server`: the address that it fetches from
 * @returns {ReturnType<typeof runToEnd>} of its last try
 * @throws {Interrupted}
 */
export async function fetchToEnd(program, args, options) {
  for (let tried = 1; ; tried++) {
    const result = await runToEnd(program, args, options);
    if (result.ok || tried === FETCHES_MAX) return result;
    if (options.server !== undefined && (await whyNotReached(options.server)) !== undefined) return result;
    await pause(options.againMs ?? FETCH_AGAIN_MS);
  }
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}
