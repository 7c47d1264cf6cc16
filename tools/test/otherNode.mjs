// The second of the two versions of Node that the project promises to run on, from the npm package `node`, in a folder of its own.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchToEnd, runToEnd } from '../start/command.mjs';
import { Refusal } from '../start/refusal.mjs';
import { sayDoing } from '../start/say.mjs';

const OLDER = '20.19.5';
const NEWER = '22.23.3';

/**
 * @param {import('../start/dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<string>} its program
 */
export async function prepareOtherNode(data, signal) {
  const version = Number(process.versions.node.split('.')[0]) < 22 ? NEWER : OLDER;
  const dir = data.folder('node', version);
  const program = join(dir, 'node_modules', 'node', 'bin', 'node');
  if (await isVersion(program, version, signal)) return program;
  sayDoing(`Fetching Node ${version} (once)`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{ "private": true }\n');
  const logFile = data.logFile('prepare');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts=false', `node@${version}`];
  const { ok } = await fetchToEnd('npm', args, { cwd: dir, logFile, signal });
  if (ok && (await isVersion(program, version, signal))) return program;
  throw new Refusal(`Node ${version} could not be fetched; ${logFile} says why.`);
}

/**
 * @param {string} program
 * @param {string} version
 * @param {AbortSignal} signal
 */
async function isVersion(program, version, signal) {
  if (!existsSync(program)) return false;
  const { output } = await runToEnd(program, ['--version'], { cwd: '/', signal });
  return output.trim() === `v${version}`;
}
