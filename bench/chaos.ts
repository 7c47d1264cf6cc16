// A fleet under faults that a seed decides, with the second bookkeeping as judge; one line a round. `npm run build` first, then
// `npm run chaos -- [--seed n] [--rounds n] [--cluster]`, the last one on a Redis Cluster. Without a seed the bench first repeats
// the rounds that once found a fault (chaos/seeds.json), and then draws new rounds. Each round begins with the fleet that the one
// before has left; a failed one leaves its evidence in var/chaos, prints the command that repeats it, and the next one gets a new
// fleet. Exit code 1 when a round has failed.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { wholeOption } from '../test/support/faults/seeds.ts';
import { keepEvidence } from './chaos/evidence.ts';
import { Fleet } from './chaos/fleet.ts';
import { type RoundResult, runRound } from './chaos/round.ts';
import { textOf } from './chaos/schedule.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string', default: '10' }, cluster: { type: 'boolean', default: false } },
});
const { cluster } = values;
const rounds = wholeOption('rounds', values.rounds, 1);
const kept: { seed: number; cluster?: true }[] = JSON.parse(readFileSync(new URL('chaos/seeds.json', import.meta.url), 'utf8'));
const ofKind = kept.filter((one) => (one.cluster ?? false) === cluster);
const known = values.seed === undefined ? ofKind.map(({ seed }) => seed) : [];
const first = values.seed === undefined ? Date.now() % 1_000_000_000 : wholeOption('seed', values.seed);
const seeds = [...known, ...Array.from({ length: rounds }, (_, round) => first + round)].slice(0, rounds);

// All processes that this one has started end with it, also when it is killed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

let fleet: Fleet | undefined;
let green = 0;
for (const seed of seeds) {
  fleet ??= await (cluster ? Fleet.startOnCluster() : Fleet.start());
  const result = await runRound(fleet, seed);
  console.log(lineOf(result));
  if (result.failure === undefined) {
    green += 1;
    continue;
  }
  console.error(`${result.failure.message}\n  evidence: ${keepEvidence(fleet, result)}`);
  console.error(`  again: node --import tsx bench/chaos.ts --seed ${seed} --rounds 1${cluster ? ' --cluster' : ''}`);
  process.exitCode = 1;
  await fleet.stop().catch((error: Error) => console.error(`the fleet did not stop: ${error.message}`));
  fleet = undefined;
}
await fleet?.stop();
console.log(`${green} of ${seeds.length} rounds green`);
process.exit();

function lineOf({ seed, schedule, told, judged, healthyAfterMs, failure }: RoundResult): string {
  const { sent, acknowledged, refused, unknown } = told;
  const counts = `${sent} sent, ${acknowledged} acknowledged, ${refused} refused, ${unknown} unknown, ${judged} read`;
  const health = Number.isNaN(healthyAfterMs) ? 'never healthy' : `healthy after ${(healthyAfterMs / 1000).toFixed(1)} s`;
  return `seed ${seed}: ${schedule.map(textOf).join(', ')} | ${counts} | ${health} | ${failure ? 'FAILED' : 'green'}`;
}
