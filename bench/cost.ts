// The cost of an order now, beside its cost at an older commit: the trading rules alone (bench/domain.ts), and the CPU time of all
// processes (bench/orderCpu.ts). Both builds run in turns, so that other load of the machine hits both alike. Prints JSON: the
// median of the ratios of the pairs with their spread; above 1 an order costs more now.
// `node --import tsx bench/cost.ts --against <commit> [--pairs 15] [--json <file>]`
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MachineWatch } from './report/machineWatch.ts';
import { quantile, round } from './support/load.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url));

/** Costs of one build, by name: microseconds of CPU. */
type Costs = Readonly<Record<string, number>>;

const { against, pairs, json } = parseArgs({
  options: { against: { type: 'string' }, pairs: { type: 'string', default: '15' }, json: { type: 'string' } },
}).values;
if (against === undefined) throw new Error('say --against <commit>');

const parent = mkdtempSync(join(tmpdir(), 'paper-cost-'));
const older = join(parent, 'older');
execFileSync('git', ['worktree', 'add', '--detach', older, against], { cwd: HERE, stdio: 'ignore' });
try {
  symlinkSync(join(HERE, 'node_modules'), join(older, 'node_modules'));
  for (const folder of [HERE, older]) execFileSync(process.execPath, ['tools/start/build.mjs'], { cwd: folder, stdio: 'ignore' });
  const report = compare(Number(pairs));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
  console.log(JSON.stringify({ against, ...report }));
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', older], { cwd: HERE, stdio: 'ignore' });
  rmSync(parent, { recursive: true, force: true });
}

function compare(count: number): Record<string, unknown> {
  const watch = new MachineWatch();
  const rounds = Array.from({ length: count }, (_, number) => {
    process.stderr.write(`pair ${number + 1} of ${count}\n`);
    // Each build is first in every second pair, so a machine that is slower at the beginning of a pair favours neither.
    const [first, second] = number % 2 === 0 ? ([HERE, older] as const) : ([older, HERE] as const);
    const costs = new Map([first, second].map((folder) => [folder, costsOf(folder)]));
    return { now: costs.get(HERE) as Costs, before: costs.get(older) as Costs };
  });
  const names = Object.keys(rounds[0]?.now ?? {});
  const figures = names.map((name) => {
    const now = rounds.map((one) => one.now[name] ?? Number.NaN);
    const before = rounds.map((one) => one.before[name] ?? Number.NaN);
    const ratios = now.map((micros, at) => micros / (before[at] ?? Number.NaN));
    return [name, { now: spreadOf(now).median, before: spreadOf(before).median, ratio: spreadOf(ratios) }];
  });
  return { pairs: count, microsPerOrder: Object.fromEntries(figures), machine: watch.state() };
}

/** The rules of the build in its folder; its processes under the load of this one. */
function costsOf(folder: string): Costs {
  const { ordersPerSecond } = run(folder, 'bench/domain.ts', {}) as { readonly ordersPerSecond: number };
  const main = { BENCH_MAIN: join(folder, 'dist', 'main.js') };
  const { cpuMicrosPerOrder } = run(HERE, 'bench/orderCpu.ts', main) as { readonly cpuMicrosPerOrder: Costs };
  return { rules: 1e6 / ordersPerSecond, ...cpuMicrosPerOrder };
}

function run(folder: string, file: string, env: Readonly<Record<string, string>>): unknown {
  const options = {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  };
  return JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', file], options).toString());
}

function spreadOf(values: readonly number[]): Record<'median' | 'lowest' | 'quarter' | 'threeQuarters' | 'highest', number> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => round(quantile(sorted, part), 4);
  return { median: at(0.5), lowest: at(0), quarter: at(0.25), threeQuarters: at(0.75), highest: at(1) };
}
