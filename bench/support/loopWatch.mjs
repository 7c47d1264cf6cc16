// Loaded into a process that is measured (`--import`): how long its event loop was held. A timer that should come each 2 ms notes how much
// later it came, and what the process's threads have computed meanwhile: on a busy machine a process waits for a processor, too; and the longest
// that collecting garbage took. Each SIGUSR2
// appends what was longest since the one before to the file that LOOP_WATCH names, one line of JSON for each process.
import { appendFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';

const EVERY_MS = 2;
/** The number of longest pauses in the report. */
const KEPT = 5;

let pauses = [];
let gcMs = 0;
let cpu = process.cpuUsage();
let lastMs = performance.now();

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) gcMs = Math.max(gcMs, duration);
}).observe({ entryTypes: ['gc'] });

setInterval(() => {
  const [nowMs, used] = [performance.now(), process.cpuUsage(cpu)];
  const heldMs = nowMs - lastMs - EVERY_MS;
  if (heldMs > EVERY_MS) {
    pauses.push({ heldMs, cpuMs: (used.user + used.system) / 1000 });
    pauses.sort((a, b) => b.heldMs - a.heldMs);
    pauses.length = Math.min(pauses.length, KEPT);
  }
  cpu = process.cpuUsage();
  lastMs = nowMs;
}, EVERY_MS).unref();

process.on('SIGUSR2', () => {
  appendFileSync(process.env.LOOP_WATCH, `${JSON.stringify({ pid: process.pid, pauses, gcMs })}\n`);
  pauses = [];
  gcMs = 0;
});
