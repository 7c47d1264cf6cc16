// The packages of clients/ built, and installed from what was built into an environment of their own, as users get them.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from '../../compat/pythonClient.ts';
import { copyOfClients, kept, run } from './room.ts';

/** @returns where the package was built, the environment with what checks it, and the Python that has it installed */
export async function installPython(): Promise<{ source: string; tools: string; python: string }> {
  const source = copyOfClients('python');
  const read = (file: string): string => readFileSync(join(source, file), 'utf8');
  const venv = (list: readonly string[]) => async (folder: string) => {
    await run(findPython(), ['-m', 'venv', folder], { cwd: source });
    if (list.length > 0) await run(join(folder, 'bin', 'pip'), ['install', '--quiet', ...list], { cwd: source });
  };
  const tools = await kept('python-tools', [read('requirements-dev.txt')], venv(['-r', 'requirements-dev.txt']));
  await run(join(tools, 'bin', 'python'), ['-m', 'build', '--no-isolation'], { cwd: source });
  const user = await kept('python-installed', [read('pyproject.toml')], venv([]));
  const python = join(user, 'bin', 'python');
  const wheel = join(source, 'dist', readdirSync(join(source, 'dist')).find((name) => name.endsWith('.whl')) ?? '');
  await run(python, ['-m', 'pip', 'uninstall', '--quiet', '--yes', 'paper-perps'], { cwd: source });
  await run(python, ['-m', 'pip', 'install', '--quiet', `${wheel}[pandas,pytest]`], { cwd: source });
  return { source, tools, python };
}

/** @returns the folder in which the package is installed, with its tests */
export async function installTypescript(): Promise<string> {
  const source = copyOfClients('typescript');
  const npm = (cwd: string, ...words: string[]) => run('npm', [...words, '--no-audit', '--no-fund'], { cwd });
  await npm(source, 'install', '--no-package-lock');
  await npm(source, 'pack');
  const user = await kept('typescript-installed', [], async (folder) =>
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n'),
  );
  rmSync(join(user, 'node_modules'), { recursive: true, force: true });
  await npm(user, 'install', '--no-save', '--no-package-lock', join(source, 'paper-perps-1.0.0.tgz'));
  cpSync(join(source, 'test'), user, { recursive: true });
  return user;
}
