// Processes of tests end with the test process that started them, however it ends: one shell holds a pipe from it, and kills all
// that it still guards when the pipe closes. One for all, because a fork of a test process costs it more than what the shell does.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** Reads `+ pid` and `- pid`, one a line. */
const SHELL = `
pids=' '
while read -r sign pid; do
  if [ "$sign" = + ]; then pids="$pids$pid "; else pids="\${pids%% $pid *} \${pids#* $pid }"; fi
done
[ "$pids" = ' ' ] || kill -9 $pids`;

let shell: ChildProcess | undefined;

export interface Guard {
  /** The process has ended, or is ended by whoever calls. */
  release(): void;
}

/** Kills `pid` when this process ends in whatever way, unless it is released before. */
export function guard(pid: number): Guard {
  const input = openShell();
  input.write(`+ ${pid}\n`);
  let isReleased = false;
  return {
    release() {
      if (!isReleased) input.write(`- ${pid}\n`);
      isReleased = true;
    },
  };
}

function openShell(): Writable {
  // A group of its own: a signal that interrupts the tests leaves it to its work.
  shell ??= spawn('sh', ['-c', SHELL], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return shell.stdin as Writable;
}
