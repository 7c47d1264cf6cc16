// An exchange for tests: started by `bin/start --ci` or found at an address, moved by its control calls.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from './errors.js';
import type { ExportEnd } from './exports.js';
import { PaperPerps } from './index.js';
import { retrying } from './retrying.js';

/** A control call may take so long, ms: a scenario works for 220 s, and the last way of it a minute more. */
const CONTROL_MS_MAX = 330_000;
/** In which a started exchange ends by itself, ms. */
const STOP_MS_MAX = 60_000;
/** In which one gets ready, ms: the first start installs and builds. */
const START_MS_MAX = 900_000;
/** In which a process of the exchange that died is back, ms. */
const BACK_MS_MAX = 60_000;
/** Calls of a minute in which an advance has to be done. */
const ADVANCES_MAX = 10;
/** As in the Python client: only 429 is repeated, for a control call is no question. */
const RETRIES = { attempts: 3, longestWaitMs: 30_000 };
/** The kept part of its output, for the error of a start that fails. */
const WORDS_MAX = 4000;
const KEYED = '/v1/exchanges/perpx/key/';

export interface StartOptions {
  /** Path of the exchange's `bin/start` (`bin/start`). */
  readonly command?: string;
  /** Of its market, which is the same each time (1). */
  readonly seed?: number;
  /** Milliseconds in which it has to be ready (900,000): the first start installs and builds. */
  readonly timeoutMs?: number;
}

/** A started exchange, and the last that it printed. */
interface Started {
  readonly child: ChildProcess;
  readonly words: () => string;
}

/** The answer to a control call; `shown` says whether all of the exchange has it. */
export interface ControlAnswer {
  readonly status: string;
  readonly time: number;
  readonly shown: boolean;
  readonly [field: string]: unknown;
}

/** An exchange whose `CONTROL` is on, and an account on it. */
export class Venue {
  /** Of the API. */
  readonly baseUrl: string;
  /** The address for a bot, with the key in it. */
  readonly exchangeUrl: string;
  readonly apiKey: string;
  /** The account's dashboard, explanations and exports. */
  readonly perps: PaperPerps;
  #started: Started | undefined;

  /** @param url the address that a bot uses, with an API key in it */
  constructor(url: string) {
    this.exchangeUrl = url.replace(/\/+$/, '');
    const [origin = '', key = ''] = this.exchangeUrl.split(KEYED);
    if (origin === '' || key === '') throw new TypeError(`An address with a key in it is needed: …${KEYED}<key>`);
    this.baseUrl = origin;
    this.apiKey = key;
    this.perps = new PaperPerps(this.exchangeUrl);
  }

  /**
   * Starts an exchange of its own, which ends with `close`, and with this program at the latest, however it ends.
   * @throws Error with what it printed when it does not start
   */
  static async start({ command = 'bin/start', seed = 1, timeoutMs = START_MS_MAX }: StartOptions = {}): Promise<Venue> {
    // With --attached it ends with its standard input. A session of its own: Ctrl-C reaches it through us alone.
    const words = ['--ci', '--attached', '--seed', String(seed)];
    const child = spawn(command, words, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    const keep = (piece: Buffer): void => {
      said = (said + piece.toString()).slice(-WORDS_MAX);
    };
    child.stderr.on('data', keep);
    let how = '';
    const timer = setTimeout(() => {
      how = `was not ready within ${timeoutMs / 1000} s`;
      void stop(child);
    }, timeoutMs);
    const ended = once(child, 'close').then(([status, signal]) => {
      throw new Error(`${command} --ci ${how || `ended with ${status ?? signal}`}:\n${said}`);
    });
    // Its end is awaited by `close`.
    ended.catch(() => undefined);
    try {
      const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
      const venue = new Venue(addressIn(line));
      venue.#started = { child, words: () => said };
      // A program that forgets `close` ends, and the exchange with it.
      for (const handle of [child, child.stdin, child.stdout, child.stderr]) (handle as unknown as { unref(): void }).unref();
      return venue;
    } catch (error) {
      await stop(child);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether `start` started it: then nobody else uses its account. */
  get isOwn(): boolean {
    return this.#started !== undefined;
  }

  /** Does nothing while the exchange may answer. @throws Error the exchange that `start` started has ended by itself */
  requireRunning(): void {
    if (this.#started === undefined) return;
    const { child, words } = this.#started;
    if (hasEnded(child)) throw new Error(`The exchange has ended with ${child.exitCode ?? child.signalCode}:\n${words()}`);
  }

  /** Moves the market or time, as the exchange's docs/control.md says. @throws {ServiceError} when it is refused */
  async control(action: string, fields: Readonly<Record<string, unknown>> = {}): Promise<ControlAnswer> {
    this.requireRunning();
    const request = new Request(`${this.baseUrl}/control`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.apiKey },
      body: JSON.stringify({ action, ...fields }),
      signal: AbortSignal.timeout(CONTROL_MS_MAX),
    });
    return (await (await retrying(fetch, RETRIES)(request)).json()) as ControlAnswer;
  }

  /** Runs a scenario file to its end. @param part `until`: ends with the step of that name; `after`: begins behind it */
  async scenario(path: string, part: { readonly until?: string; readonly after?: string } = {}): Promise<ControlAnswer> {
    return this.control('scenario', { file: await readFile(path, 'utf8'), ...part });
  }

  /**
   * Sets the exchange's time ahead, at most a day; resolves when all that became due has been done. A way that takes a call more than its minute
   * is gone on with. @throws {ServiceError} when it is refused, or not done after ten calls
   */
  async advance(ms: number): Promise<ControlAnswer> {
    const id = randomUUID();
    for (let call = 1; ; call += 1) {
      try {
        return await this.control('advance', { ms, id });
      } catch (error) {
        const isUnfinished = error instanceof ServiceError && error.code === 'advance_unfinished';
        if (!isUnfinished || call === ADVANCES_MAX) throw error;
        await sleep(error.retryAfterMs);
      }
    }
  }

  /** Saves the account's journal again as a file, which `bin/admin verify` proves and the dashboard opens. */
  async keepJournal(path: string): Promise<ExportEnd> {
    this.requireRunning();
    await mkdir(dirname(path), { recursive: true });
    // Of this process alone: two may run the same test.
    const beside = `${path}.${process.pid}.part`;
    try {
      const end = await this.#export(beside);
      await rename(beside, path);
      return end;
    } finally {
      await rm(beside, { force: true });
    }
  }

  async #export(beside: string): Promise<ExportEnd> {
    const giveUpAtMs = Date.now() + BACK_MS_MAX;
    for (;;) {
      this.requireRunning();
      await rm(beside, { force: true });
      try {
        return await this.perps.dashboard.export(beside);
      } catch (error) {
        // A process of it that died is started again.
        const isBack = error instanceof ServiceError && error.status < 500;
        if (isBack || !this.isOwn || Date.now() > giveUpAtMs) throw error;
      }
      await sleep(200);
    }
  }

  /** Ends the exchange where `start` started it. */
  async close(): Promise<void> {
    if (this.#started !== undefined) await stop(this.#started.child);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  child.ref();
  const ended = once(child, 'exit');
  signalTo(child.pid, 'SIGTERM');
  const timer = setTimeout(() => signalTo(child.pid, 'SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(timer);
}

/** To all of its session: the program may be a shell around the start. */
function signalTo(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended meanwhile
  }
}

/** @throws Error when that is no line of a start */
function addressIn(line: string): string {
  try {
    const { exchangeUrl } = JSON.parse(line) as { exchangeUrl?: unknown };
    if (typeof exchangeUrl === 'string') return exchangeUrl;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`The start printed this in place of its line of JSON: ${line.slice(0, WORDS_MAX)}`);
}
