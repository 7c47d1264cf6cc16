// bin/start as a person runs it, for tests: its output, its end, and its running processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** An empty data folder, but for the MongoDB stand-in's libraries if there are any: they need not be fetched again. */
export function dataFolder(): string {
  const data = mkdtempSync(join(tmpdir(), 'paper-start-'));
  const jars = process.env['MONGO_JARS'] ?? join(PROJECT_DIR, 'var', 'mongo-jars');
  if (existsSync(jars)) cpSync(jars, join(data, 'mongo-jars'), { recursive: true });
  return data;
}

export class StartCommand {
  output = '';
  /** The part of it that a program reads. */
  stdout = '';
  /** Status or signal, once it has ended. */
  ended: number | NodeJS.Signals | undefined;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, project = PROJECT_DIR) {
    const options = { cwd: tmpdir(), env: { ...process.env, ...env } };
    this.#child = spawn(join(project, 'bin', 'start'), args, options);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk;
      });
    }
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
    });
    this.#exit = once(this.#child, 'close').then(([status, signal]) => {
      this.ended = signal ?? status;
    });
  }

  /** Waits for its end and answers how it ended. */
  async end(): Promise<number | NodeJS.Signals | undefined> {
    await this.#exit;
    return this.ended;
  }

  /** Waits until it has traded and stays. @throws Error with what it printed when it ends instead */
  async ready(): Promise<void> {
    await until(() => this.output.includes('To stop') || this.ended !== undefined);
    if (this.ended !== undefined) throw new Error(`ended with ${this.ended}:\n${this.output}`);
  }

  /** Ends all processes that a failed test has left, at once, with all that they have started. */
  async abandon(): Promise<void> {
    if (this.ended !== undefined) return;
    this.#child.kill('SIGINT');
    this.#child.kill('SIGTERM');
    await this.#exit;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

export interface Demo {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
  readonly userId: string;
  readonly address: string;
  /** With --root-account alone. */
  readonly rootUrl?: string;
}

export const readDemo = (data: string): Demo => JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'));

/** Process ids by name, as the data folder's records have them. */
export function running(data: string): Record<string, number> {
  const folder = join(data, 'run');
  mkdirSync(folder, { recursive: true });
  const records = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    records.map((name) => [name.replace('.json', ''), JSON.parse(readFileSync(join(folder, name), 'utf8')).pid as number]),
  );
}

/** Whether a process with the id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false; // there is no such process
  }
}
