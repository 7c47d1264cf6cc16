// Runs the benches one after the other; prints a table for people, and writes all of it as JSON with the machine it ran on and what
// that did meanwhile. `npm run bench -- [--only name,name] [--rounds n] [--seconds n] [--against worktree] [--json file]`
// With `--against` each bench runs twice for each build, in turns, the other build's from its own worktree where it has it.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MachineWatch } from './report/machineWatch.ts';
import { merged } from './report/merged.ts';
import { type BenchRun, tableOf } from './report/table.ts';

type Results = Readonly<Record<string, unknown>>;

const BENCHES = [
  'domain',
  'memory',
  'batch',
  'batchApi',
  'batchOrders',
  'liquidation',
  'redis',
  'rateLimit',
  'iocOrders',
  'restAndCancel',
  'accountState',
  'watchedStates',
  'viewMemory',
  'fleet',
  'tickToFill',
  'takeover',
  'triggers',
  'streams',
  'neighbour',
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
const unknown = names.find((name) => !existsSync(benchFile(HERE, name)));
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

const runs: BenchRun[] = [];
for (const bench of names) runs.push(runBench(bench));
writeFileSync(values.json, `${JSON.stringify({ machine, runs }, undefined, 2)}\n`);
console.log(tableOf(runs));
console.log(`\n${Object.values(machine).join(', ')}; as JSON: ${values.json}`);

function runBench(bench: string): BenchRun {
  process.stderr.write(`${bench} …\n`);
  const watch = new MachineWatch();
  if (values.against === undefined) return { bench, results: run(HERE, bench), machine: watch.state() };
  const other = resolve(values.against);
  const now: Results[] = [];
  const before: Results[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    now.push(run(HERE, bench));
    before.push(run(other, bench));
  }
  return { bench, results: merged(now), before: merged(before), machine: watch.state() };
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
  const lines = output
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return Object.assign({}, ...lines.map((line) => named(JSON.parse(line))));
}

/** A bench of many cases prints a line for each. */
function named({ case: name, ...figures }: Results): Results {
  return name === undefined ? figures : { [String(name)]: figures };
}

function benchFile(worktree: string, bench: string): string {
  return join(worktree, 'bench', `${bench}.ts`);
}
