// All invariants at once over 10,000 random lives of about 20 steps: commands of every kind, books, trades, marks and time.
// A failure prints fast-check's seed and the shrunk life; `SEED=n` lives others, and `bench/soak.ts` lives longer.
import { expect } from 'chai';
import fc from 'fast-check';
import { INVARIANTS } from './invariants/all.ts';
import { InvariantBroken, live } from './life.ts';
import { type RandomStep, randomLife } from './randomSteps.ts';

const LIVES = 10_000;
const SEED = Number(process.env['SEED'] ?? 1);

describe(`sequences: ${LIVES} random lives`, function () {
  this.timeout(900_000);
  let run: fc.RunDetails<[steps: RandomStep[]]>;

  before(() => {
    const life = fc.property(randomLife, (steps) => void live(steps, INVARIANTS));
    run = fc.check(life, { numRuns: LIVES, seed: SEED });
  });

  it('are lived to their ends', () => {
    expect(run.failed ? report(run) : run.numRuns).to.equal(LIVES);
  });

  for (const { name, says } of INVARIANTS) {
    it(`${name}: ${says}`, () => {
      const broken = run.errorInstance;
      if (broken instanceof InvariantBroken && broken.invariant === name) expect.fail(`${broken.message}\n${report(run)}`);
    });
  }
});

/** Seed, path and the shrunk life. */
function report(run: fc.RunDetails<[steps: RandomStep[]]>): string {
  return fc.defaultReportMessage(run) ?? 'no counterexample';
}
