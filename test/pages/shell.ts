// The terminal in which a reader pastes one block after the other: one bash, so that variables, functions and folders stay. A command
// that fails ends it, and so does an answer of the exchange that is an error.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** curl ends well with an error of HTTP, which a reader would see. */
const SEES_ERRORS = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n';

export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  readonly #room: string;
  #printed = '';
  #errors = '';
  #blocks = 0;
  #onChange: () => void = () => undefined;

  /** @param room folder for the blocks' text */
  constructor(room: string, env: NodeJS.ProcessEnv) {
    mkdirSync(room, { recursive: true });
    this.#room = room;
    this.#bash = spawn('bash', [], { env });
    this.#bash.stdout.on('data', (chunk: Buffer) => {
      this.#printed += chunk;
      this.#onChange();
    });
    this.#bash.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk;
    });
    this.#bash.once('close', () => this.#onChange());
    this.#bash.stdin.write(SEES_ERRORS);
  }

  /** @returns its output @throws Error with the output and its errors when a command fails */
  async run(code: string, folder: string): Promise<string> {
    this.#blocks += 1;
    const file = join(this.#room, `block-${this.#blocks}.sh`);
    const end = `\n-- end of block ${this.#blocks} --\n`;
    writeFileSync(file, code);
    this.#printed = '';
    this.#errors = '';
    this.#bash.stdin.write(`cd '${folder}'; . '${file}'; printf '%s' '${end}'\n`);
    await new Promise<void>((resolve) => {
      this.#onChange = () => {
        if (this.#printed.endsWith(end) || this.#hasEnded) resolve();
      };
      this.#onChange();
    });
    const printed = this.#printed.replace(end, '');
    const isError = /"status":"err"|"statuses":\[\{"error"/.test(printed);
    if (this.#hasEnded || isError) throw new Error(`the block failed:\n${code}\n${printed}\n${this.#errors}`);
    return printed;
  }

  /** Ends programs in the background, as the reader would. */
  async endJobs(): Promise<void> {
    await this.run('for job in $(jobs -p); do kill "$job"; done; wait || true\n', this.#room);
  }

  get #hasEnded(): boolean {
    return this.#bash.exitCode !== null || this.#bash.signalCode !== null;
  }

  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const closed = once(this.#bash, 'close');
    this.#bash.stdin.end('exit 0\n');
    await closed;
  }
}
