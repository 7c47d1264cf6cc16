// The preStop of a pod: `node dist/leave.js SECONDS [PID]` in the container asks the process that runs there (1 unless said) to leave, and
// waits until it owns nothing, has ended, or the time is over: SIGTERM gives back what is left then. The status is 1 in that last case.
// It asks by a signal: no client and no other pod can send one.
import { readConfig } from './shared/config/config.ts';
import type { Readiness } from './shared/metrics/readiness.ts';

const ASKED_EVERY_MS = 100;
/** Longest that one answer of /ready is waited for, ms. */
const ANSWER_MS_MAX = 2000;
/** Addresses that stand for all of a machine, and where it reaches itself. */
const ITSELF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

async function main(): Promise<string | undefined> {
  const [seconds = 0, pid = 1] = process.argv.slice(2).map(Number);
  if (!(seconds > 0 && Number.isInteger(pid) && pid > 0)) throw new Error('Usage: node dist/leave.js SECONDS [PID]');
  const { METRICS_HOST: host, METRICS_PORT: port } = readConfig(process.env);
  const url = `http://${ITSELF[host] ?? host}:${port}/ready`;
  const untilMs = performance.now() + seconds * 1000;
  for (let signal: 'SIGUSR2' | 0 = 'SIGUSR2'; performance.now() < untilMs; signal = 0) {
    if (!reaches(pid, signal) || (await readinessAt(url))?.leaving === 'done') return undefined;
    await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
  }
  return `The process still owns something after ${seconds} s: no other takes it, or not in time. Its stop gives it back.`;
}

/** @param signal 0 = only asks whether there is such a process */
function reaches(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** @returns undefined without an answer: the process starts, is busy, or ends */
async function readinessAt(url: string): Promise<Readiness | undefined> {
  try {
    return (await (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })).json()) as Readiness;
  } catch {
    return undefined;
  }
}

main().then(
  (failure) => {
    if (failure !== undefined) process.stderr.write(`${failure}\n`);
    process.exit(failure === undefined ? 0 : 1);
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
