// A python that is new enough for a framework: on PATH under a usual name, or among the versions that pyenv keeps.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAMES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const folder = fileURLToPath(new URL('../../../var/test/newer-python', import.meta.url));

/**
 * @param minor of the oldest version 3 that will do
 * @returns a folder in which `python3` is that python
 * @throws Error that says what is missing
 */
export function newerPython(minor: number): string {
  const [found] = [...NAMES, ...pyenvPythons()].flatMap((python) => executableOf(python, minor));
  if (found === undefined)
    throw new Error(`this framework needs Python 3.${minor} or newer; no such is on PATH as ${NAMES.join(', ')}, or in pyenv`);
  const programs = join(folder, `3.${minor}`);
  mkdirSync(programs, { recursive: true });
  // No link: a python looks for its library beside the file that was started.
  const file = join(programs, 'python3');
  writeFileSync(file, `#!/bin/sh\nexec '${found}' "$@"\n`);
  chmodSync(file, 0o755);
  return programs;
}

/** Its file, when it is new enough and has venv, which some systems ship as a package of its own. */
function executableOf(python: string, minor: number): string[] {
  const script = `import sys, ensurepip, venv; print(sys.executable); sys.exit(sys.version_info < (3, ${minor}))`;
  const { status, stdout } = spawnSync(python, ['-c', script], { encoding: 'utf8' });
  return status === 0 ? [stdout.trim()] : [];
}

function pyenvPythons(): string[] {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  return existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin', 'python3')) : [];
}
