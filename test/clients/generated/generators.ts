// Linters of the published contract and generators of clients, as their registries publish them, below var/. They are installed once for
// the versions that this folder names: their 300 packages are no part of the project's own.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPython } from '../../compat/pythonClient.ts';

const exec = promisify(execFile);
const lists = fileURLToPath(new URL('.', import.meta.url));
const folder = fileURLToPath(new URL('../../../var/test/generators', import.meta.url));
const LISTS = ['package.json', 'requirements.txt'];
const OUTPUT_MAX = 16 * 1024 * 1024;
/** Where the tools leave what they make; empty at the beginning. */
export const made = join(folder, 'made');

/** Installs them unless that was done with the same lists. */
export async function installGenerators(): Promise<void> {
  const stamp = createHash('sha256').update(LISTS.map((file) => readFileSync(join(lists, file), 'utf8')).join('\n'));
  const wanted = stamp.digest('hex');
  const stampFile = join(folder, '.stamp');
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of LISTS) cpSync(join(lists, file), join(folder, file));
    await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], folder);
    await run(findPython(), ['-m', 'venv', 'python'], folder);
    await run(
      'python/bin/python',
      // Python compiles what one run imports, and not thousands of files.
      ['-m', 'pip', 'install', '-q', '--no-compile', '--disable-pip-version-check', '-r', 'requirements.txt'],
      folder,
    );
    writeFileSync(stampFile, wanted);
  }
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made);
}

/** A file of this folder. */
export const listed = (file: string): string => join(lists, file);

/**
 * Runs a program in the folder `made`; an installed program goes first.
 * @returns the text that it printed, on both ways
 * @throws Error with all of that when it fails
 */
export async function run(program: string, args: readonly string[], cwd = made, env: Readonly<Record<string, string>> = {}) {
  const programs = [join(folder, 'node_modules', '.bin'), join(folder, 'python', 'bin'), dirname(process.execPath)];
  const path = [...programs, process.env['PATH']].join(delimiter);
  // No reports to their makers, no colours.
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const options = { cwd, env: { ...process.env, ...quiet, ...env, PATH: path }, maxBuffer: OUTPUT_MAX };
  try {
    const { stdout, stderr } = await exec(program, args, options);
    return { stdout, output: stdout + stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed: ${stdout}${stderr}`, { cause: error });
  }
}
