// Runs the benches one after the other; prints a table for people, and writes all of it as JSON with the machine it ran on and what
// that did meanwhile. `npm run bench -- [--only name,name] [--rounds n] [--seconds n] [--against worktree] [--json file]`
// A bench that fails is named as failed, the others run, and the exit code is 1.
// With `--against` each bench runs twice for each build, in turns, the other build's from its own worktree where it has it.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MachineWatch } from './report/machineWatch.ts';
import { merged } from './report/merged.ts';
import { type BenchRun, type Results, resultsIn, runInTurn } from './report/runs.ts';
import { tableOf } from './report/table.ts';

const BENCHES = [
  'domain',
  'memory',
  'batch',
  'batchApi',
  'batchOrders',
  'liquidation',
  'redis',
  'market',
  'rateLimit',
  'iocOrders',
  'restAndCancel',
  'accountState',
  'watchedStates',
  'viewMemory',
  'fleet',
  'scale',
  'storage',
  'tickToFill',
  'takeover',
  'rebalance',
  'triggers',
  'streams',
  'neighbour',
  'alerts',
  'alertsOfFills',
  'export',
  'fork',
  'fillModels',
  'longHistory',
  'roundTrips',
  'tracing',
];
const TURNS = 2;
const HERE = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    against: { type: 'string' },
    json: { type: 'string', default: join(tmpdir(), 'paper-bench.json') },
  },
});
const names = values.only?.split(',') ?? BENCHES;
const unknown = names.find((name) => !BENCHES.includes(name));
if (unknown !== undefined) throw new Error(`there is no bench ${unknown}; there are ${BENCHES.join(', ')}`);
const env = {
  ...process.env,
  ...(values.rounds !== undefined && { BENCH_ROUNDS: values.rounds }),
  ...(values.seconds !== undefined && { BENCH_SECONDS: values.seconds }),
};
const machine = {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  startedAt: new Date().toISOString(),
};

const runs = runInTurn(names, runBench, {
  watch: () => {
    const watch = new MachineWatch();
    return () => watch.state();
  },
  // After each of them: hours of figures are not lost with the last one.
  onRun: (done) => writeFileSync(values.json, `${JSON.stringify({ machine, runs: done }, undefined, 2)}\n`),
});
console.log(tableOf(runs));
console.log(`\n${Object.values(machine).join(', ')}; as JSON: ${values.json}`);
if (runs.some(({ failed }) => failed !== undefined)) process.exitCode = 1;

function runBench(bench: string): Pick<BenchRun, 'results' | 'before'> {
  process.stderr.write(`${bench} …\n`);
  if (values.against === undefined) return { results: run(HERE, bench) };
  const other = resolve(values.against);
  const now: Results[] = [];
  const before: Results[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    now.push(run(HERE, bench));
    before.push(run(other, bench));
  }
  return { results: merged(now), before: merged(before) };
}

/** A bench that the other build does not have yet is ours, with the roles of that build. */
function run(worktree: string, bench: string): Results {
  const own = benchFile(worktree, bench);
  const file = existsSync(own) ? own : benchFile(HERE, bench);
  const cwd = existsSync(own) ? worktree : HERE;
  if (worktree !== HERE) execFileSync(process.execPath, [join(worktree, 'tools', 'start', 'build.mjs')], { stdio: 'ignore' });
  const output = execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', file], {
    cwd,
    env: file === own ? env : { ...env, BENCH_MAIN: join(worktree, 'dist', 'main.js') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return resultsIn(output.toString());
}

function benchFile(worktree: string, bench: string): string {
  return join(worktree, 'bench', `${bench}.ts`);
}
