// A build of the past, made from git history, to run beside the one of today on the same stores.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));
const PACKED = ['src', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

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
    await run(process.execPath, [join('node_modules', 'typescript-7', 'bin', 'tsc'), '-p', 'tsconfig.build.json'], next);
    if (!existsSync(main)) renameSync(next, dir);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  return main;
}

/** The checkout's own packages where they are the same, else those that the commit names. */
async function addPackages(dir: string): Promise<void> {
  const lock = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (lock(dir) === lock(PROJECT_DIR)) symlinkSync(join(PROJECT_DIR, 'node_modules'), join(dir, 'node_modules'));
  else await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], dir);
}
