// Builds dist from src with vite: the exchange, the dashboard, and the files that the code reads. Types are checked by bin/test.
// A stamp made of the sources says whether dist is current, so a second start builds nothing. `node tools/start/build.mjs`
// builds; bin/start and bin/test call it too.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';
import { sayDoing } from './say.mjs';

const DIST = join(PROJECT_DIR, 'dist');
const STAMP = join(DIST, '.stamp');
/** Data that the code reads from beside itself: beside the modules that it was put into. */
const COPIED = [{ from: 'src/market/emulator/seed', to: 'seed' }];
const PARTS = [
  { name: 'exchange', config: 'tools/start/exchange.vite.config.mjs', outDir: '.' },
  { name: 'dashboard', config: 'tools/dashboard/vite.config.ts', outDir: 'dashboard' },
];
/** All that a build reads beside the packages. */
export const MADE_FROM = [
  'src',
  'tsconfig.json',
  'package-lock.json',
  'tools/start/build.mjs',
  ...PARTS.map(({ config }) => config),
];

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {string} [options.logFile]
 * @throws {Refusal} with the first complaint
 */
export async function build({ signal, logFile }) {
  const stamp = stampOfSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return;
  sayDoing('Building the exchange from src (once per change)');
  // Beside, then moved: whoever runs from dist meanwhile finds the old files or the new ones, never half of one.
  const next = join(DIST, `.next-${process.pid}`);
  mkdirSync(next, { recursive: true });
  try {
    const vite = join(PROJECT_DIR, 'node_modules', 'vite', 'bin', 'vite.js');
    for (const { name, config, outDir } of PARTS) {
      const args = [vite, 'build', '--config', config, '--outDir', join(next, outDir)];
      const { ok, output } = await runToEnd(process.execPath, args, {
        cwd: PROJECT_DIR,
        signal,
        ...(logFile ? { logFile } : {}),
      });
      if (!ok) throw new Refusal(`The ${name} could not be built: ${output.split('\n')[0]}`);
    }
    for (const { from, to } of COPIED) cpSync(join(PROJECT_DIR, from), join(next, to), { recursive: true });
    rmSync(STAMP, { force: true });
    for (const old of readdirSync(DIST)) {
      if (!old.startsWith('.')) rmSync(join(DIST, old), { recursive: true });
    }
    for (const name of readdirSync(next)) renameSync(join(next, name), join(DIST, name));
    writeFileSync(STAMP, stamp);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

function stampOfSources() {
  const hash = createHash('sha256');
  for (const file of MADE_FROM.flatMap((name) => filesBelow(join(PROJECT_DIR, name)))) {
    const content = readFileSync(file);
    hash.update(`${relative(PROJECT_DIR, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
  if (/\.(json|mjs|ts)$/.test(path)) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ signal: new AbortController().signal });
