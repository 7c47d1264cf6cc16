// Runs every bench, one after the other, and prints one JSON document with the machine it ran on. `node --import tsx bench/all.ts`
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const BENCHES = [
  'domain',
  'memory',
  'liquidation',
  'redis',
  'rateLimit',
  'iocOrders',
  'restAndCancel',
  'accountState',
  'tickToFill',
  'takeover',
  'triggers',
  'streams',
  'neighbour',
];

const machine = {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  startedAt: new Date().toISOString(),
};
const results: Record<string, unknown> = { machine };
for (const name of BENCHES) {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  process.stderr.write(`${name} …\n`);
  const output = execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  Object.assign(results, JSON.parse(output.toString().trim().split('\n').at(-1) ?? '{}'));
}
console.log(JSON.stringify(results, undefined, 2));
