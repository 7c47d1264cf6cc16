// The program that `upgrade.mjs` runs: the same exchange, clients and bookkeeping as in the fault tests, with two revisions of
// anybody's choice.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { FaultStack, type Load } from '../../test/support/faults/faultStack.ts';
import { olderBuild } from '../../test/support/faults/olderBuild.ts';
import { wholeOption } from '../../test/support/faults/seeds.ts';
import { UpgradeSteps } from '../../test/support/faults/upgradeSteps.ts';

/** The first commit whose stored forms every later build reads. */
const LAST_RELEASED = 'generation-1';
/** Two of each role that may have two, so that one is there while the other is replaced. */
const PROCESSES = { apis: 2, pods: 2, markets: 2, jobs: 1 };
/** Longest pauses of the bots, ms. */
const BREATHS_MS = [40, 80, 120];

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: LAST_RELEASED },
    to: { type: 'string', default: 'HEAD' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = wholeOption('seed', values.seed);
const [from, to] = [revision(values.from), revision(values.to)];
const startedMs = performance.now();
say(`Upgrade from ${from} to ${to}, seed ${seed}. Building both …`);
const [older, newer] = [await olderBuild(from), await olderBuild(to)];
const entry = [older];
say(
  `Starting the exchange as ${from}: ${Object.entries(PROCESSES)
    .map(([role, count]) => `${count} ${role}`)
    .join(', ')} …`,
);
const faults = await FaultStack.start({
  ...{ ...PROCESSES, hasOlderApi: true, entries: { api: entry, actors: entry, market: entry, jobs: entry } },
  // Hours of funding are no part of what bots' money is checked with.
  env: { FUNDING_SETTLE_HOURS: '24', DASHBOARD: 'off' },
});
try {
  const load = await faults.load(seed, { breathsMs: BREATHS_MS });
  const steps = new UpgradeSteps(faults, load);
  const all = async (main: string): Promise<void> => {
    for (const name of faults.stack.processes.keys()) await steps.replace(name, main);
  };
  await told(load, `1. forwards, ${faults.stack.processes.size} processes one by one`, () => all(newer));
  await told(load, '2. back', () => all(older));
  await told(load, '3. forwards for good', () => all(newer));
  const before = await steps.recorded();
  const newest = await steps.readable(newer);
  await told(load, `4. formats raised from ${before} to ${newest}`, async () => {
    await steps.raise(newer, newest);
    await load.progress(10);
  });
  say('5. the books: every order once, states and rows alike in Redis, MongoDB and the answers …');
  const pasts = await load.verdict();
  await steps.expectNothingSetAside();
  say(`   ${pasts.length} accounts, ${sum(load.bots.map(({ acknowledged }) => acknowledged))} acknowledged actions, all held`);
  say(`PASSED in ${Math.round((performance.now() - startedMs) / 1000)} s`);
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  say(`Again: tools/drills/upgrade --from ${from} --to ${to} --seed ${seed}`);
  process.exitCode = 1;
} finally {
  await faults.stop();
}

/** Does a step, and reports the answers to clients meanwhile. */
async function told(load: Load, what: string, step: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const acknowledged = () => sum(load.bots.map((bot) => bot.acknowledged));
  const before = { troubles: load.troubles(), acknowledged: acknowledged(), brokenOff: load.brokenOff };
  await step();
  const brokenOff = load.brokenOff - before.brokenOff;
  const others = Object.entries(load.troubles()).flatMap(([name, count]) => {
    const more = count - (before.troubles[name] ?? 0);
    if (name === 'unknown') return [counted(more - brokenOff, '504'), counted(brokenOff, 'connections broken off')].flat();
    return counted(more, name);
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  say(
    `${what}: ${seconds} s, ${acknowledged() - before.acknowledged} actions acknowledged, besides: ${others.join(', ') || 'nothing'}`,
  );
}

function counted(count: number, what: string): string[] {
  return count > 0 ? [`${count} ${what}`] : [];
}

/** Short name of a commit. @throws Error that says what to do where there is none */
function revision(name: string): string {
  try {
    const words = ['rev-parse', '--verify', '--quiet', '--short', '--end-of-options', `${name}^{commit}`];
    return execFileSync('git', words, { encoding: 'utf8' }).trim();
  } catch {
    throw new Error(
      `"${name}" is no commit that this clone has: "git log" shows those it has, "git fetch --unshallow" gets the others.`,
    );
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
