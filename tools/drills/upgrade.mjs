// The drill of an upgrade: builds two revisions, runs the exchange with the older one on stores of its own, and replaces it process by process
// under load: forwards, back, and forwards for good. `tools/drills/upgrade [--from REV] [--to REV] [--seed N]`
// Needs a checkout with its packages (`bin/start --once` or `npm ci`) and its history. The status is 0 when all held.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const drill = fileURLToPath(new URL('upgradeDrill.ts', import.meta.url));
if (!existsSync(new URL('../../node_modules/tsx', import.meta.url))) {
  console.error('The packages are missing: run "bin/start --once" or "npm ci" in this checkout first.');
  process.exit(1);
}
const { status } = spawnSync(process.execPath, ['--import', 'tsx', drill, ...process.argv.slice(2)], {
  cwd: project,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
