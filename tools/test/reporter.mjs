// The form of tests in bin/test: one line per failing test with its reason, no line for a test that passes. The counts, and the
// test file that took longest, go into the file that COUNTS_FILE names. They are written at the end of the run, so a run that dies
// counts as failed.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';

export default class QuietReporter extends Mocha.reporters.Base {
  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    const counts = { passed: 0, failed: 0 };
    const files = new FileTimes();
    runner.on('suite', ({ file }) => files.enter(file));
    runner.on('pass', () => {
      counts.passed += 1;
    });
    runner.on('fail', () => {
      counts.failed += 1;
    });
    runner.once('end', () => {
      if (this.failures.length > 0) Mocha.reporters.Base.list(this.failures);
      const file = process.env['COUNTS_FILE'];
      if (file) writeFileSync(file, JSON.stringify({ ...counts, longest: files.longest() }));
    });
  }
}

/** How long each test file took, from its first suite to the first suite of the next file: hooks included. */
class FileTimes {
  /** @type {Map<string, number>} */
  #spentMs = new Map();
  /** @type {{ file: string, sinceMs: number } | undefined} */
  #current;

  /** @param {string | undefined} file */
  enter(file) {
    if (file === undefined || file === this.#current?.file) return;
    this.#leave();
    this.#current = { file, sinceMs: Date.now() };
  }

  /** @returns {{ file: string, seconds: number } | undefined} */
  longest() {
    this.#leave();
    const [slowest] = [...this.#spentMs].sort(([, a], [, b]) => b - a);
    return slowest && { file: relative(process.cwd(), slowest[0]), seconds: Math.round(slowest[1] / 100) / 10 };
  }

  #leave() {
    if (this.#current === undefined) return;
    const { file, sinceMs } = this.#current;
    this.#spentMs.set(file, (this.#spentMs.get(file) ?? 0) + Date.now() - sinceMs);
    this.#current = undefined;
  }
}
