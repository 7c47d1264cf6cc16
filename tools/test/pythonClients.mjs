// The python clients of the compatibility tests, in a virtual environment of their own below var/, as pinned in
// test/compat/requirements.txt.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchToEnd, findProgram, runToEnd } from '../start/command.mjs';
import { PROJECT_DIR } from '../start/project.mjs';
import { Refusal } from '../start/refusal.mjs';
import { sayDoing } from '../start/say.mjs';
import { installPart } from '../start/systemPackages.mjs';

const REQUIREMENTS = join(PROJECT_DIR, 'test', 'compat', 'requirements.txt');

/**
 * @param {import('../start/dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the python of the environment
 */
export async function preparePython(data, signal) {
  const venv = data.folder('python');
  const python = join(venv, 'bin', 'python');
  const stampFile = join(venv, '.stamp');
  const stamp = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return python;
  sayDoing('Installing the python clients (once)');
  const options = { cwd: PROJECT_DIR, logFile: data.logFile('prepare'), signal };
  rmSync(venv, { recursive: true, force: true });
  if (
    !(await makeVenv(venv, options)) &&
    !((await installPart('venv', 'python3-venv', options)) && (await makeVenv(venv, options)))
  ) {
    throw new Refusal('The client tests need python 3.10 or newer with venv: install python3-venv.');
  }
  const { ok } = await fetchToEnd(
    python,
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS],
    options,
  );
  if (!ok) throw new Refusal(`The python clients could not be installed; ${options.logFile} says why.`);
  writeFileSync(stampFile, stamp);
  return python;
}

/**
 * @param {string} venv
 * @param {{ cwd: string, logFile: string, signal: AbortSignal }} options
 */
async function makeVenv(venv, options) {
  for (const python of ['python3.12', 'python3.11', 'python3.10', 'python3'].filter((name) => findProgram(name))) {
    if ((await runToEnd(python, ['-m', 'venv', venv], options)).ok) return true;
  }
  return false;
}
