// A generation 2 of stored forms that exists in tests only: a copy of the checkout's sources and tests below `var`, changed as docs/recipes.md
// says ("A stored form changes"). An account that is opened in generation 2 notes it, in its event and in its state.
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));
const COPY_DIR = join(PROJECT_DIR, 'var', 'builds', 'generation-2');
const COPIED = ['src', 'test', 'tools', 'clients', 'tsconfig.json', 'package.json', '.mocharc.json'];
const DOMAIN = 'src/actors/core';

/** The note of an account from generation 2. */
export const NOTE = 'opened in generation 2';

interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The recipe, step by step. */
const CHANGES: readonly Change[] = [
  { file: 'src/shared/domain/formats.ts', from: 'NEWEST_FORMAT = 1 as const', to: 'NEWEST_FORMAT = 2 as const' },
  { file: 'src/shared/domain/formats.ts', from: 'type Format = 1;', to: 'type Format = 1 | 2;' },
  {
    file: `${DOMAIN}/messages/event.ts`,
    from: "type: 'accountOpened'; readonly depositUsd: string }",
    to: "type: 'accountOpened'; readonly depositUsd: string; readonly note?: string }",
  },
  {
    file: `${DOMAIN}/lifecycle/accountLife.ts`,
    from: "depositUsd }: Extract<AccountCommand, { type: 'openAccount' }>)",
    to: "depositUsd }: Extract<AccountCommand, { type: 'openAccount' }>, format: 1 | 2)",
  },
  {
    file: `${DOMAIN}/lifecycle/accountLife.ts`,
    from: "{ type: 'accountOpened', depositUsd } as const",
    to: `{ type: 'accountOpened' as const, depositUsd, ...(format >= 2 && { note: '${NOTE}' }) }`,
  },
  { file: `${DOMAIN}/decide.ts`, from: 'openAccount(account, command)', to: 'openAccount(account, command, context.format)' },
  {
    file: `${DOMAIN}/account/account.ts`,
    from: '  readonly openedAtMs: number;\n  /** Cross cash',
    to: '  readonly openedAtMs: number;\n  readonly note?: string | undefined;\n  /** Cross cash',
  },
  {
    file: `${DOMAIN}/account/accountCodec.ts`,
    from: '  openedAtMs: number,',
    to: '  openedAtMs: number,\n  note: optional(text),',
  },
  {
    file: `${DOMAIN}/fold/evolve.ts`,
    from: '      state.openedAtMs = timeMs;',
    to: '      state.openedAtMs = timeMs;\n      if (event.note !== undefined) state.note = event.note;',
  },
  {
    file: `${DOMAIN}/account/accountCodec.ts`,
    from: 'DOWNCASTERS: Downcasters = {};',
    to: 'DOWNCASTERS: Downcasters = { 1: ({ note: _, ...form }) => form };',
  },
];
/** Every form is read as it is; the state alone is written without the note in generation 1. */
const SAME = { from: /UPCASTERS: Upcasters = \{\};/g, to: 'UPCASTERS: Upcasters = { 1: (form) => form };' };

/**
 * Makes the copy and builds it.
 * @returns its folder
 * @throws Error that names the change whose place is not in the sources any more, or what the compiler misses
 */
export async function generation2(): Promise<string> {
  rmSync(COPY_DIR, { recursive: true, force: true });
  for (const name of COPIED) cpSync(join(PROJECT_DIR, name), join(COPY_DIR, name), { recursive: true });
  symlinkSync(join(PROJECT_DIR, 'node_modules'), join(COPY_DIR, 'node_modules'));
  for (const { file, from, to } of CHANGES) {
    edit(join(COPY_DIR, file), (text) => {
      if (text.split(from).length !== 2) throw new Error(`${file} has not one place of "${from}": see ${import.meta.url}`);
      return text.replace(from, () => to);
    });
  }
  const files = readdirSync(join(COPY_DIR, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  for (const name of files) edit(join(COPY_DIR, 'src', name), (text) => text.replace(SAME.from, SAME.to));
  await run(['typescript', 'bin', 'tsc'], ['--noEmit', '-p', typesOf(COPY_DIR)]);
  const config = join(COPY_DIR, 'tools/start/exchange.vite.config.mjs');
  await run(['vite', 'bin', 'vite.js'], ['build', '--config', config, '--outDir', join(COPY_DIR, 'dist')]);
  cpSync(join(COPY_DIR, 'src/market/emulator/seed'), join(COPY_DIR, 'dist/seed'), { recursive: true });
  return COPY_DIR;
}

/** The compiler asks for every step of the recipe: of the sources alone. */
function typesOf(dir: string): string {
  const file = join(dir, 'tsconfig.src.json');
  writeFileSync(file, JSON.stringify({ extends: './tsconfig.json', include: ['src'], exclude: ['src/dashboard'] }));
  return file;
}

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(file, changed);
}

const run = (program: readonly string[], args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(PROJECT_DIR, 'node_modules', ...program), ...args], {
    ...{ cwd: COPY_DIR, maxBuffer: 64 * 1024 * 1024 },
  }).catch((error: { stdout?: string; message: string }) => {
    throw new Error(`Generation 2 cannot be built: ${error.stdout || error.message}`);
  });
