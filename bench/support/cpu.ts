// CPU time of processes from outside, as the kernel counts it: on a busy machine it says more than the clock.
import { readFileSync } from 'node:fs';

/** Clock ticks of the kernel's process statistics, per second: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time that a process has used so far, microseconds. */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Fields 14 and 15; the second, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** The CPU time of each named process since the last call, by name. */
export class CpuMeter {
  readonly #pids: ReadonlyMap<string, number>;
  readonly #before: ReadonlyMap<string, number>;

  constructor(pids: ReadonlyMap<string, number>) {
    this.#pids = pids;
    this.#before = this.#read();
  }

  /** Microseconds per unit of work. */
  per(units: number): Record<string, number> {
    const now = this.#read();
    return Object.fromEntries(
      [...now].map(([name, micros]) => [name, Math.round((micros - (this.#before.get(name) ?? 0)) / units)]),
    );
  }

  #read(): Map<string, number> {
    return new Map([...this.#pids].map(([name, pid]) => [name, cpuMicros(pid)]));
  }
}
