// Mocha: an exchange for the tests of a `describe`, its account for each of them. A test that fails keeps the account's journal as a file.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Venue } from './venue.js';

/** The facts of a test or a hook that mocha gives. */
interface Runnable {
  readonly state?: string;
  readonly pending?: boolean;
  readonly parent?: Suite | undefined;
  readonly file?: string | undefined;
  fullTitle(): string;
}

interface Suite {
  readonly parent?: Suite | undefined;
  getHooks?(kind: string): readonly Runnable[];
}

/** The part of mocha's `this` in hooks that these fixtures need; so no type of mocha is imported. */
interface Hook {
  timeout(ms: number): unknown;
  readonly test?: Runnable;
  readonly currentTest?: Runnable;
}

/** Mocha's hooks, as its globals or its exports are. */
export interface Hooks {
  before(run: (this: Hook) => Promise<void>): void;
  beforeEach(run: (this: Hook) => Promise<void>): void;
  afterEach(run: (this: Hook) => Promise<void>): void;
  after(run: (this: Hook) => Promise<void>): void;
}

export interface PaperOptions {
  /** A bot's address of an exchange that runs; without it one is started (PAPER_URL). */
  readonly url?: string;
  /** Path of `bin/start` (PAPER_START, else `bin/start`). */
  readonly start?: string;
  /** Of the started one's market (1). */
  readonly seed?: number;
  /** Folder for journals of failed tests (PAPER_JOURNALS, else `journals`). */
  readonly journals?: string;
}

/** In which the exchange has to be ready, ms: the first start of all installs and builds. */
const START_MS_MAX = 900_000;
/** The time that a hook may take beyond its waits, ms: mocha's own bound would leave its work unfinished. */
const MORE_MS = 120_000;
const NAME_MAX = 120;

/**
 * Called in a `describe`. The account of a started exchange is reset before each test, so that its journal is that of the test.
 * @param hooks mocha's, where they are no globals
 * @returns a function that answers the exchange, for use within tests
 */
export function usePaper(options: PaperOptions = {}, hooks: Hooks = globalThis as unknown as Hooks): () => Venue {
  const { env } = process;
  const url = options.url ?? env['PAPER_URL'];
  const command = options.start ?? env['PAPER_START'] ?? 'bin/start';
  const journals = options.journals ?? env['PAPER_JOURNALS'] ?? 'journals';
  let venue: Venue | undefined;

  /** The test of now, or the test that ended last, and whether its journal is kept. */
  let last: { readonly path: string; isKept: boolean } | undefined;
  const keep = async (from: Venue, test: { readonly path: string; isKept: boolean }): Promise<void> => {
    test.isKept = true;
    const { path } = test;
    const kept = await from.keepJournal(path).then(
      ({ balance_usd }) => `Its journal: ${path} (balance ${balance_usd})`,
      (error: unknown) => `Its journal was not kept at ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.stderr.write(`${kept}\n`);
  };
  const pathOf = (test: Runnable | undefined): string => resolve(join(journals, `${fileName(test)}.jsonl`));

  hooks.before(async function () {
    this.timeout(START_MS_MAX + MORE_MS);
    venue = url ? new Venue(url) : await Venue.start({ command, seed: options.seed ?? 1, timeoutMs: START_MS_MAX });
  });
  hooks.beforeEach(async function () {
    this.timeout(MORE_MS);
    last = { path: pathOf(this.currentTest), isKept: false };
    await rm(last.path, { force: true }); // of an earlier run, in which it failed
    venue?.requireRunning();
    if (venue?.isOwn) await venue.perps.account.reset();
  });
  hooks.afterEach(async function () {
    this.timeout(MORE_MS);
    const test = this.currentTest;
    if (venue !== undefined && last !== undefined && test !== undefined && hasFailed(test)) await keep(venue, last);
  });
  hooks.after(async function () {
    this.timeout(MORE_MS);
    // An `afterEach` behind ours: mocha runs no other one then.
    const isFailed = hasFailedHook(this.test?.parent, 'afterEach');
    if (venue !== undefined && last !== undefined && !last.isKept && isFailed) await keep(venue, last);
    await venue?.close();
  });

  return () => {
    if (venue === undefined) throw new Error('The exchange is there within tests only.');
    return venue;
  };
}

/** Whether it failed, or a hook for it did: then it has not been run. */
function hasFailed({ state, pending, parent }: Runnable): boolean {
  if (state === 'failed') return true;
  if (state === undefined && pending !== true) return true;
  for (let suite = parent; suite !== undefined; suite = suite.parent) if (hasFailedHook(suite, 'afterEach')) return true;
  return false;
}

const hasFailedHook = (suite: Suite | undefined, kind: string): boolean =>
  (suite?.getHooks?.(kind) ?? []).some(({ state }) => state === 'failed');

/** Names of two tests differ, also where they have one title in two files, or what differs cannot be in the name of a file. */
function fileName(test: Runnable | undefined): string {
  const file = test?.file === undefined ? '' : relative('.', test.file);
  const id = `${file} ${test?.fullTitle() ?? ''}`.trim();
  const folders = id.split('/').map((part) => part.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, ''));
  const name = folders.join('--');
  const isWhole = name.length <= NAME_MAX && !/[^A-Za-z0-9_.\-/ ]|--/.test(id);
  return isWhole ? name : `${name.slice(-NAME_MAX)}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}
