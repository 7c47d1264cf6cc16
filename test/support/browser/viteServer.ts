// The server that the dashboard is worked on with (`npm run dashboard`), as a process of its own on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../ports.ts';
import { until } from '../until.ts';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));

export class ViteServer {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #output = '';

  private constructor(port: number, env: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`;
    const where = ['--host', '127.0.0.1', '--port', String(port), '--strictPort'];
    const words = ['node_modules/vite/bin/vite.js', '--config', 'tools/dashboard/vite.config.ts', ...where];
    this.#child = spawn(process.execPath, words, { cwd: PROJECT_DIR, env: { ...process.env, ...env } });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk;
      });
    }
    this.#exit = once(this.#child, 'exit');
  }

  /** Resolves when it serves. @throws Error with what it printed when it never does */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<ViteServer> {
    const server = new ViteServer(await freePort(), env);
    try {
      await until(async () => (await fetch(server.url).catch(() => undefined))?.ok === true);
    } catch (cause) {
      await server.stop();
      throw new Error(`vite does not serve:\n${server.#output}`, { cause });
    }
    return server;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}
