// Mocha: an exchange for the tests of a `describe`, its account for each of them. A test that fails keeps the account's journal as a file.
import { join, resolve } from 'node:path';
import { Venue } from './venue.js';

/** What mocha's hooks have as `this`; no more of mocha is needed, so none is imported. */
interface Hook {
  timeout(ms: number): unknown;
  readonly currentTest?: { readonly state?: string; fullTitle(): string };
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

/** The first start of all installs and builds. */
const START_MS_MAX = 600_000;
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

  hooks.before(async function () {
    this.timeout(START_MS_MAX);
    venue = url ? new Venue(url) : await Venue.start({ command, seed: options.seed ?? 1 });
  });
  hooks.beforeEach(async () => {
    if (venue?.isOwn) await venue.perps.account.reset();
  });
  hooks.afterEach(async function () {
    if (venue === undefined || this.currentTest?.state !== 'failed') return;
    this.timeout(START_MS_MAX);
    const path = resolve(join(journals, `${fileName(this.currentTest.fullTitle())}.jsonl`));
    const kept = await venue.keepJournal(path).then(
      ({ balance_usd }) => `Its journal: ${path} (balance ${balance_usd})`,
      (error: unknown) => `Its journal was not kept at ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.stderr.write(`${kept}\n`);
  });
  hooks.after(async function () {
    this.timeout(START_MS_MAX);
    await venue?.close();
  });

  return () => {
    if (venue === undefined) throw new Error('The exchange is there within tests only.');
    return venue;
  };
}

const fileName = (title: string): string =>
  title
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(-NAME_MAX);
