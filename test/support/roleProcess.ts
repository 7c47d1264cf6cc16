// One role of the exchange as a process of its own, from dist, that a test can kill, suspend and start again under
// the same name. It ends with the process that started it; its log stays until then.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guard } from './guard.ts';

/** The build of today. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const SETTABLE_CLOCK = fileURLToPath(new URL('settableClock.mjs', import.meta.url));
/** Words after `node` for the build of today on a machine whose clock a test sets. */
export const WITH_SETTABLE_CLOCK: readonly string[] = ['--import', SETTABLE_CLOCK, MAIN];
const LOG_LINES_SHOWN = 20;

export type RoleName = 'api' | 'actors' | 'market' | 'jobs';

export class RoleProcess {
  /** E.g. `actors-1`. */
  readonly name: string;
  /** Words after `node` that run the process from its next start on. */
  entry: readonly string[];
  readonly #options: { role: RoleName; env: Readonly<Record<string, string>>; logDir: string };
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  /** Bytes of the log from earlier lives. */
  #logBegin = 0;

  /** @param options.entry words after `node` that run the process in place of dist/main.js */
  constructor(
    name: string,
    options: { role: RoleName; env: Readonly<Record<string, string>>; logDir: string; entry?: readonly string[] },
  ) {
    this.name = name;
    this.#options = options;
    this.entry = options.entry ?? [MAIN];
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  get logFile(): string {
    return join(this.#options.logDir, `${this.name}.log`);
  }

  start(): void {
    if (this.#child) throw new Error(`${this.name} runs already`);
    const { role, env } = this.#options;
    const log = openSync(this.logFile, 'a');
    this.#logBegin = fstatSync(log).size;
    const child = spawn(process.execPath, ['--enable-source-maps', ...this.entry, role], {
      env: { ...process.env, NODE_ID: `${this.name}-${Date.now().toString(36)}`, CLOCK_FILE: this.#clockFile, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const guarded = child.pid === undefined ? undefined : guard(child.pid);
    this.#child = child;
    this.#exited = once(child, 'exit').then(() => {
      guarded?.release();
      if (this.#child === child) this.#child = undefined;
    });
  }

  /** Sets the clock of its machine, as it sees it, so far ahead; it was started WITH_SETTABLE_CLOCK. */
  setClock(aheadMs: number): void {
    writeFileSync(this.#clockFile, String(aheadMs));
  }

  get #clockFile(): string {
    return join(this.#options.logDir, `${this.name}.clock`);
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    await this.#exited;
  }

  /** SIGSTOP and SIGCONT return at once, any other signal when the process has ended. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    if (!this.#child) throw new Error(`${this.name} does not run`);
    this.#child.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await this.#exited;
  }

  /** Ends it if it runs, suspended or not. */
  async end(): Promise<void> {
    if (!this.#child) return;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Its log since its last start. */
  lifeLog(): string {
    return readFileSync(this.logFile).subarray(this.#logBegin).toString();
  }

  lastLines(): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
  }
}
