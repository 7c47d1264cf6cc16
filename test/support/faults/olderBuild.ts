// A build of the past, made from git history, to run beside the build of today on the same stores.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));
const PACKED = ['src', 'tools/start/exchange.vite.config.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];

const run = (program: string, args: readonly string[], cwd = PROJECT_DIR) =>
  promisify(execFile)(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 });

/**
 * The build of a commit, made once and kept below `var`.
 * @returns its dist/main.js
 * @throws Error that says what to do when the history is not there
 */
export async function olderBuild(commit: string): Promise<string> {
  const dir = join(PROJECT_DIR, 'var', 'builds', commit);
  const main = join(dir, 'dist', 'main.js');
  if (existsSync(main)) return main;
  await run('git', ['cat-file', '-e', `${commit}^{commit}`]).catch(() => {
    throw new Error(
      `The build ${commit} is made from git history, and this clone does not reach so far back: run "git fetch --unshallow".`,
    );
  });
  const next = `${dir}.${process.pid}`;
  mkdirSync(next, { recursive: true });
  try {
    const archive = join(next, 'sources.tar');
    await run('git', ['archive', '--output', archive, commit, ...PACKED]);
    await run('tar', ['-xf', archive, '-C', next]);
    await addPackages(next);
    const vite = join(PROJECT_DIR, 'node_modules', 'vite', 'bin', 'vite.js');
    const config = join(next, 'tools', 'start', 'exchange.vite.config.mjs');
    await run(process.execPath, [vite, 'build', '--config', config, '--outDir', join(next, 'dist')], next);
    // Builds have the seed in either of two folders.
    const seed = ['coins/seed', 'seed']
      .map((place) => join(next, 'src/market/emulator', place))
      .find((place) => existsSync(place));
    if (seed === undefined) throw new Error(`The build ${commit} has no first state of the emulated market.`);
    cpSync(seed, join(next, 'dist/seed'), { recursive: true });
    if (!existsSync(main)) renameSync(next, dir);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  return main;
}

/**
 * Installs those packages alone that the commit has in another version than the checkout. All others are found in the
 * checkout, above the folder.
 */
async function addPackages(dir: string): Promise<void> {
  const { overrides } = read<Package>(PROJECT_DIR, 'package.json');
  const there = read<Package>(dir, 'package.json');
  const [versions, own] = [versionsIn(dir), versionsIn(PROJECT_DIR)];
  const others = Object.keys(there.dependencies).filter((name) => versions(name) !== own(name));
  const dependencies = Object.fromEntries(others.map((name) => [name, versions(name)]));
  rmSync(join(dir, 'package-lock.json'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: there.type, dependencies, overrides }));
  if (others.length > 0) await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], dir);
}

interface Package {
  readonly type: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: object;
}

/** The versions of packages that the lock file of a folder names. */
function versionsIn(folder: string): (name: string) => string | undefined {
  const { packages } = read<{ packages: Readonly<Record<string, { version: string }>> }>(folder, 'package-lock.json');
  return (name) => packages[`node_modules/${name}`]?.version;
}

const read = <Content>(folder: string, file: string): Content => JSON.parse(readFileSync(join(folder, file), 'utf8'));
