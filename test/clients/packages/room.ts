// A folder below var/ in which a package of clients/ is built, and one in which it is installed. Fetched packages stay there for
// the next run, as long as the lists of wanted packages are the same.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = fileURLToPath(new URL('../../..', import.meta.url));
const MADE = new Set(['node_modules', 'dist', '_generated', '.mypy_cache', '__pycache__']);

/** Python compiles what is imported, and keeps that for the next program, in place of the thousands of files that pip would compile. */
const PYTHON = { PIP_NO_COMPILE: '1', PYTHONDONTWRITEBYTECODE: '' };

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws Error with all that the program printed */
export async function run(program: string, words: readonly string[], at: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<Ran> {
  const options = { ...at, env: { ...process.env, ...PYTHON, ...at.env }, maxBuffer: 16 * 1024 * 1024 };
  return execute(program, words, options).catch((error: Error & Ran) => {
    throw new Error(`${basename(program)} ${words.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error });
  });
}

/** Copies clients/ without what was made there. @returns the folder that corresponds to clients/<name> */
export function copyOfClients(name: string): string {
  const room = join(project, 'var', 'test', 'clients', `${name}-built`);
  const source = join(project, 'clients');
  const target = join(room, name);
  rmSync(join(target, 'dist'), { recursive: true, force: true });
  mkdirSync(room, { recursive: true });
  cpSync(join(source, 'openapi.json'), join(room, 'openapi.json'));
  cpSync(join(source, name), target, { recursive: true, filter: (path) => !MADE.has(basename(path)) });
  return target;
}

/** A folder that is made again when its sources have another text. @param make fills the empty folder */
export async function kept(name: string, texts: readonly string[], make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(project, 'var', 'test', 'clients', name);
  const stampFile = `${folder}.stamp`;
  const wanted = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return folder;
  for (const path of [stampFile, folder]) rmSync(path, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await make(folder);
  writeFileSync(stampFile, wanted);
  return folder;
}

/** The code blocks of a README in a language, in their order. */
export const blocksIn = (readme: string, language: string): string[] =>
  [...readFileSync(readme, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );
