// An exchange for tests: started by `bin/start --ci` or found at an address, moved by its control calls.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { ServiceError } from './errors.js';
import type { ExportEnd } from './exports.js';
import { PaperPerps } from './index.js';

/** A control call may take so long, ms: a scenario works for 220 s, and the last way of it a minute more. */
const CONTROL_MS_MAX = 330_000;
/** In which a started exchange ends by itself, ms. */
const STOP_MS_MAX = 60_000;
/** What is kept of what it prints, for the error of a start that fails. */
const WORDS_MAX = 4000;
const KEYED = '/v1/exchanges/perpx/key/';

export interface StartOptions {
  /** Path of the exchange's `bin/start` (`bin/start`). */
  readonly command?: string;
  /** Of its market, which is the same each time (1). */
  readonly seed?: number;
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
  /** What a bot is given, with the key in it. */
  readonly exchangeUrl: string;
  readonly apiKey: string;
  /** The account's dashboard, explanations and exports. */
  readonly perps: PaperPerps;
  #child: ChildProcess | undefined;

  /** @param url the address that a bot uses, with an API key in it */
  constructor(url: string) {
    this.exchangeUrl = url.replace(/\/+$/, '');
    const [origin = '', key = ''] = this.exchangeUrl.split(KEYED);
    if (origin === '' || key === '') throw new TypeError(`An address with a key in it is needed: …${KEYED}<key>`);
    this.baseUrl = origin;
    this.apiKey = key;
    this.perps = new PaperPerps(this.exchangeUrl);
  }

  /** Starts an exchange of its own, which ends with `close`. @throws Error with what it printed when it does not start */
  static async start({ command = 'bin/start', seed = 1 }: StartOptions = {}): Promise<Venue> {
    const child = spawn(command, ['--ci', '--seed', String(seed)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    child.stderr.on('data', (piece: Buffer) => {
      words = (words + piece.toString()).slice(-WORDS_MAX);
    });
    const ended = once(child, 'close').then(([status, signal]) => {
      throw new Error(`${command} --ci ended with ${status ?? signal}:\n${words}`);
    });
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
    // Its end is awaited by `close`.
    ended.catch(() => undefined);
    const venue = new Venue((JSON.parse(line) as { exchangeUrl: string }).exchangeUrl);
    venue.#child = child;
    return venue;
  }

  /** Whether `start` started it: then nobody else uses its account. */
  get isOwn(): boolean {
    return this.#child !== undefined;
  }

  /** Moves the market or time, as the exchange's docs/control.md says. @throws {ServiceError} when it is refused */
  async control(action: string, fields: Readonly<Record<string, unknown>> = {}): Promise<ControlAnswer> {
    const response = await fetch(`${this.baseUrl}/control`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.apiKey },
      body: JSON.stringify({ action, ...fields }),
      signal: AbortSignal.timeout(CONTROL_MS_MAX),
    });
    if (!response.ok) throw await ServiceError.of(response);
    return (await response.json()) as ControlAnswer;
  }

  /** Runs a scenario file to its end. @param part `until`: ends with the step of that name; `after`: begins behind it */
  async scenario(path: string, part: { readonly until?: string; readonly after?: string } = {}): Promise<ControlAnswer> {
    return this.control('scenario', { file: await readFile(path, 'utf8'), ...part });
  }

  /** Sets the exchange's time ahead, at most a day; resolves when all that became due has been done. */
  advance(ms: number): Promise<ControlAnswer> {
    return this.control('advance', { ms });
  }

  /** Saves the account's journal anew as a file, which `bin/admin verify` proves and the dashboard opens. */
  async keepJournal(path: string): Promise<ExportEnd> {
    await mkdir(dirname(path), { recursive: true });
    const beside = `${path}.part`;
    await rm(beside, { force: true });
    const end = await this.perps.dashboard.export(beside);
    await rename(beside, path);
    return end;
  }

  /** Ends the exchange where `start` started it. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
  }
}
