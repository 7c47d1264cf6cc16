// An example of examples/ as a newcomer takes it: its folder is copied below var/, and the commands of its section of docs/clients.md are run
// there as they are printed, first the block that installs it, then each block that runs it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPython } from '../compat/pythonClient.ts';
import { blocksOf, readPage } from '../pages/page.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const OUTPUT_MAX = 16 * 1024 * 1024;

/** Examples of something else than a client, with a test of their own. */
const OTHERS = new Set(['programs', 'scenarios', 'sub-accounts', 'tests']);

/** The folders of examples/ that show a client, each with a section of its name in docs/clients.md. */
export const exampleNames = (): string[] =>
  readdirSync(join(project, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !OTHERS.has(entry.name))
    .map(({ name }) => name);

export const pageOf = (name: string): string => readPage(`docs/clients.md#${name}`);

/** The files of an example, by their names. */
export function filesOfExample(name: string): Map<string, string> {
  const folder = join(project, 'examples', name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** The variables that the commands of an example read. */
export type ExampleEnv = Readonly<Record<'BASE' | 'ROOT' | 'WALLET_ADDRESS' | 'WALLET_PRIVATE_KEY', string>>;

export class Example {
  /** Its copy. */
  readonly folder: string;
  /** The blocks that run it. */
  readonly runs: readonly string[];
  readonly #install: string;
  readonly #name: string;
  readonly #programs: string | undefined;

  /** @param programs folder of programs that its commands shall find before others of the same name */
  constructor(name: string, programs?: string) {
    const [install, ...runs] = blocksOf(pageOf(name)).flatMap(({ language, code }) => (language === 'sh' ? [code] : []));
    if (install === undefined || runs.length === 0)
      throw new Error(`docs/clients.md does not say how ${name} is installed and run`);
    this.#name = name;
    this.#programs = programs;
    this.#install = install;
    this.runs = runs;
    this.folder = join(project, 'var', 'test', 'examples', name);
  }

  /** Copies the example, and installs it unless that was done with the same commands and the same list of packages. */
  async install(): Promise<void> {
    const source = join(project, 'examples', this.#name);
    const stamp = createHash('sha256').update(this.#install);
    for (const [file, text] of filesOfExample(this.#name)) if (LISTS.test(file)) stamp.update(`${file}\n${text}\n`);
    const wanted = stamp.digest('hex');
    const stampFile = `${this.folder}.stamp`;
    const isInstalled = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
    if (!isInstalled) for (const path of [stampFile, this.folder]) rmSync(path, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    cpSync(source, this.folder, { recursive: true });
    if (isInstalled) return;
    await this.#bash(this.#install, {});
    writeFileSync(stampFile, wanted);
  }

  /** Runs its blocks one after the other. @returns what each has printed @throws Error when one fails, with all that it printed */
  async run(env: ExampleEnv): Promise<string[]> {
    const printed: string[] = [];
    for (const block of this.runs) printed.push(await this.#bash(block, env));
    return printed;
  }

  async #bash(code: string, env: Readonly<Record<string, string>>): Promise<string> {
    // The python of the tests can make environments, also where the system's own cannot.
    const programs = [this.#programs ?? dirname(findPython()), dirname(process.execPath), process.env['PATH']];
    const options = {
      cwd: this.folder,
      env: { ...process.env, ...PYTHON, ...env, PATH: programs.join(':') },
      maxBuffer: OUTPUT_MAX,
    };
    const { stdout } = await run('bash', ['-euc', code], options);
    return stdout;
  }
}

/** Python compiles what an example imports, once, and not thousands of files. */
const PYTHON = { PIP_NO_COMPILE: '1', PYTHONDONTWRITEBYTECODE: '' };

/** The files that say what is installed. */
const LISTS = /(?:^|\/)(?:package\.json|requirements\.txt|go\.(?:mod|sum)|Cargo\.(?:toml|lock))$/;
