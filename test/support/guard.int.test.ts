import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from './until.ts';

const GUARD = fileURLToPath(new URL('guard.ts', import.meta.url));
/** Starts three sleepers with a guard each, releases the second, and prints their pids. */
const STARTER = `
  const { spawn } = await import('node:child_process');
  const { guard } = await import(${JSON.stringify(GUARD)});
  const pids = Array.from({ length: 3 }, () => spawn('sleep', ['600'], { stdio: 'ignore', detached: true }).pid);
  const guards = pids.map(guard);
  guards[1].release();
  guards[1].release();
  console.log(JSON.stringify(pids));
  setInterval(() => undefined, 1000);
`;

describe('the guard of processes', () => {
  it('kills all that are not released when the one that started them is killed, and no other', async () => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', STARTER];
    const starter = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    const pids: number[] = JSON.parse(line.toString());
    try {
      expect(pids.map(isAlive)).to.deep.equal([true, true, true]);
      starter.kill('SIGKILL');
      await until(() => !pids.some((pid, index) => index !== 1 && isAlive(pid)));
      expect(pids.map(isAlive)).to.deep.equal([false, true, false]);
    } finally {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
}
