// A python client in a process of its own, called over its standard input and output (python/client.py).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, Raised } from './client.ts';

const SCRIPT = fileURLToPath(new URL('python/client.py', import.meta.url));
/** Where bin/test puts the environment of requirements.txt. */
const VENV_PYTHON = fileURLToPath(new URL('../../var/test/python/bin/python', import.meta.url));

type Outcome = { readonly value: unknown } | { readonly error: string; readonly message: string };

/** @throws Error when the environment has not been made */
export function findPython(): string {
  const { PYTHON = VENV_PYTHON } = process.env;
  if (!existsSync(PYTHON)) throw new Error(`no python at ${PYTHON}: bin/test compat makes it, or set PYTHON`);
  return PYTHON;
}

/**
 * Starts it and makes the client.
 * @param name `ccxt` or `sdk`
 * @throws {Raised} the error that the client's constructor raises
 */
export async function startPythonClient(name: string, options: object): Promise<Client> {
  const child = spawn(findPython(), [SCRIPT, name, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const outcomes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  const next = async (): Promise<unknown> => {
    const line = await outcomes.next();
    if (line.done) throw new Error(`the python client ended with status ${(await exited)[0]}`);
    const outcome: Outcome = JSON.parse(line.value);
    if ('error' in outcome) throw new Raised(outcome.error, outcome.message);
    return outcome.value;
  };

  const client: Client = {
    call: (method, ...args) => {
      child.stdin.write(`${JSON.stringify({ call: method, args })}\n`);
      return next();
    },
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
  try {
    await next();
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}
