// Starts and ends the process of the bare stack.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { guard } from '../../test/support/guard.ts';

const SERVER = fileURLToPath(new URL('./bareServer.ts', import.meta.url));

export class Bare {
  readonly url: string;
  readonly pid: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: string) {
    this.#child = child;
    this.pid = child.pid as number;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param answers by the type of the action or question */
  static async start(answers: Readonly<Record<string, unknown>>): Promise<Bare> {
    const args = ['--import', 'tsx', SERVER, JSON.stringify(answers)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (child.pid !== undefined) guard(child.pid);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return new Bare(child, line.toString().trim());
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
