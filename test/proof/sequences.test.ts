// All invariants at once over 10,000 random lives of about 20 steps: commands of every kind, books, trades, marks and
// time. A failure prints fast-check's seed and the shrunk life. `SEED=n` runs other lives, `LIVES=n` so many of them, and
// `bench/soak.ts` runs for longer.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { BatchResult } from './batch.ts';
import { INVARIANTS } from './invariants/all.ts';

const LIVES = Number(process.env['LIVES'] ?? 10_000);
const PROCESSES = 2;
const SEED = Number(process.env['SEED'] ?? 1);

describe(`sequences: ${LIVES} random lives`, function () {
  // Two minutes on a quiet machine with two cores; a busy one may take its time.
  this.timeout(1_200_000);
  let batches: readonly BatchResult[];

  before(async () => {
    const seeds = Array.from({ length: PROCESSES }, (_, index) => SEED * PROCESSES + index);
    batches = await Promise.all(seeds.map((seed) => runBatch(seed, LIVES / PROCESSES)));
  });

  it('are lived to their ends', () => {
    expect(batches.map(({ lived, broken }) => broken?.report ?? lived)).to.deep.equal(batches.map(() => LIVES / PROCESSES));
  });

  for (const { name, says } of INVARIANTS) {
    it(`${name}: ${says}`, () => {
      for (const { broken } of batches) if (broken?.invariant === name) expect.fail(broken.report);
    });
  }
});

async function runBatch(seed: number, lives: number): Promise<BatchResult> {
  const file = fileURLToPath(new URL('batchProcess.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file, String(seed), String(lives)]);
  return JSON.parse(stdout) as BatchResult;
}
