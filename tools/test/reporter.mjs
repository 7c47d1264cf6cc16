// How tests show in bin/test: one line per failing test with its reason, nothing for those that pass, and the counts in
// the file that COUNTS_FILE names. Written at the end of the run, so that a run that dies counts as failed.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class QuietReporter extends Mocha.reporters.Base {
  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    const counts = { passed: 0, failed: 0 };
    runner.on('pass', () => {
      counts.passed += 1;
    });
    runner.on('fail', () => {
      counts.failed += 1;
    });
    runner.once('end', () => {
      if (this.failures.length > 0) Mocha.reporters.Base.list(this.failures);
      const file = process.env['COUNTS_FILE'];
      if (file) writeFileSync(file, JSON.stringify(counts));
    });
  }
}
