// Random lives under every invariant for as long as wanted, each batch with a seed of its own; stops at the first that
// breaks one, with exit code 1, its seed and the shrunk life. `node --import tsx bench/soak.ts --minutes 60 [--seed 1]`
import { parseArgs } from 'node:util';
import { liveBatch } from '../test/proof/batch.ts';

const LIVES_PER_BATCH = 500;

const { values } = parseArgs({ options: { seed: { type: 'string' }, minutes: { type: 'string', default: '1' } } });
const untilMs = Date.now() + Number(values.minutes) * 60_000;
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000_000);
let lived = 0;
let seed = firstSeed;
for (; Date.now() < untilMs; seed++) {
  const batch = liveBatch({ seed, lives: LIVES_PER_BATCH });
  lived += batch.lived;
  if (!batch.broken) continue;
  console.error(`--seed ${seed}: ${batch.broken.report}`);
  process.exitCode = 1;
  break;
}
console.log(JSON.stringify({ soak: { firstSeed, lastSeed: seed, lived, broken: process.exitCode === 1 } }));
