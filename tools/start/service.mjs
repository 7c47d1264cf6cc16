// A process that has to run as long as we do: a store, the emulator, a role. It runs in a session of its own, so that
// a Ctrl-C in the terminal reaches it only through us and in order. It is started again when it dies, and recorded in
// the data folder, so that the next start finds what a killed one left behind.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginOf, stillRuns } from './processIdentity.mjs';
import { PROJECT_DIR } from './project.mjs';
import { sayLoud } from './say.mjs';

/** Milliseconds before a dead process is started again; doubles with each death in a row up to the maximum. */
const RESTART_MS = 250;
const RESTART_MS_MAX = 10_000;
/** A process that has run this long, milliseconds, is well again. */
const WELL_AFTER_MS = 30_000;
/** How long a process may take to end after SIGTERM, milliseconds. */
const END_WITHIN_MS = 20_000;
/** How often a process that is not our child is looked at, milliseconds. */
const LOOK_EVERY_MS = 500;

/** @typedef {{ pid: number, began: string, port?: number }} ServiceRecord */

export class Service {
  /** @readonly @type {string} */
  name;
  /** Deaths since the start. */
  deaths = 0;
  #data;
  #program;
  #args;
  #env;
  #port;
  /** @type {ServiceRecord | undefined} */
  #record;
  #stopping = false;
  #waitMs = RESTART_MS;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {string} options.name
   * @param {import('./dataFolder.mjs').DataFolder} options.data
   * @param {string} options.program
   * @param {readonly string[]} options.args
   * @param {Record<string, string>} [options.env] beside our own
   * @param {number} [options.port] kept in the record
   */
  constructor({ name, data, program, args, env = {}, port }) {
    this.name = name;
    this.#data = data;
    this.#program = program;
    this.#args = args;
    this.#env = env;
    this.#port = port;
  }

  get logFile() {
    return this.#data.logFile(this.name);
  }

  /** The last lines of its log, for a person who has to find out why it does not start. */
  lastLines(count = 8) {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  }

  start() {
    const log = openSync(this.logFile, 'a');
    // Files of the process are for their owner alone. `exec` keeps the process id. It begins once it is recorded: of a start that
    // is killed before, nothing runs.
    const child = spawn(
      '/bin/sh',
      ['-c', 'umask 077; read -r _ || exit; exec "$0" "$@" </dev/null', this.#program, ...this.#args],
      {
        cwd: PROJECT_DIR,
        env: { ...process.env, ...this.#env },
        detached: true,
        stdio: ['pipe', log, log],
      },
    );
    closeSync(log);
    child.stdin?.once('error', () => undefined); // it has ended, which is told below
    child.once('error', (error) => this.#onDeath(error.message)); // no such program, no memory
    child.once('exit', (code, signal) => this.#onDeath(signal ?? `status ${code}`));
    if (child.pid === undefined) return;
    this.#note({ pid: child.pid, began: beginOf(child.pid) ?? '', ...(this.#port === undefined ? {} : { port: this.#port }) });
    child.stdin?.end('\n');
  }

  /** Takes over a process that an earlier start has left running. @param {ServiceRecord} record */
  adopt(record) {
    this.#note(record);
    const look = () => {
      if (stillRuns(record)) this.#timer = setTimeout(look, LOOK_EVERY_MS).unref();
      else this.#onDeath('it was killed');
    };
    look();
  }

  /** SIGTERM, then SIGKILL if it does not end. */
  async stop() {
    this.#stopping = true;
    clearTimeout(this.#timer);
    if (this.#record) await endProcess(this.#record);
    this.#forget();
  }

  /** At once. */
  kill() {
    this.#stopping = true;
    if (this.#record && stillRuns(this.#record)) process.kill(this.#record.pid, 'SIGKILL');
    this.#forget();
  }

  /** @param {string} how */
  #onDeath(how) {
    if (this.#stopping) return;
    this.deaths += 1;
    const ranMs = Date.now() - this.#startedAtMs;
    if (ranMs > WELL_AFTER_MS) this.#waitMs = RESTART_MS;
    sayLoud(`${this.name} ended (${how}) and is started again; its log is ${this.logFile}`);
    this.#timer = setTimeout(() => this.start(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, RESTART_MS_MAX);
  }

  #startedAtMs = 0;

  /** @param {ServiceRecord} record */
  #note(record) {
    this.#startedAtMs = Date.now();
    this.#record = record;
    this.#data.write(recordName(this.name), record);
  }

  #forget() {
    this.#record = undefined;
    rmSync(this.#data.folder(recordName(this.name)), { force: true });
  }
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {string} name
 * @returns {ServiceRecord | undefined} the process of that name that an earlier start left running
 */
export function leftRunning(data, name) {
  const record = data.read(recordName(name));
  return stillRuns(record) ? record : undefined;
}

/** @param {ServiceRecord | undefined} record */
export async function endProcess(record) {
  if (record === undefined || !stillRuns(record)) return;
  process.kill(record.pid, 'SIGTERM');
  process.kill(record.pid, 'SIGCONT'); // one that was suspended has to wake to end
  const killAtMs = Date.now() + END_WITHIN_MS;
  let isKilled = false;
  while (stillRuns(record)) {
    if (!isKilled && Date.now() > killAtMs) {
      process.kill(record.pid, 'SIGKILL');
      isKilled = true;
    }
    await sleep(20);
  }
}

/** @param {string} name */
const recordName = (name) => join('run', `${name}.json`);
