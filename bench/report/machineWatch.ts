// The machine while a bench ran: time that the host took away (steal), and cores that other programs used. A figure from a machine
// that was not the bench's own is not to be trusted, and only the kernel knows.
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/** Above this much of its time taken by the host, percent, a figure says nothing. */
const STEAL_PERCENT_MAX = 5;
/** Above this many cores used by others, a figure says nothing. */
const OTHER_CORES_MAX = 0.3;
/** Other programs are named when they used this many cores. */
const NAMED_CORES_MIN = 0.05;
const NAMED_MAX = 3;
const TICKS_PER_SECOND = 100;

export interface MachineState {
  /** Processes that ran or waited to, mean of the last minute. */
  readonly load: number;
  readonly stealPercent: number;
  /** Cores that programs outside of the bench used. */
  readonly otherCores: number;
  /** The busiest of them that ran from begin to end, with the cores each used. */
  readonly others: Readonly<Record<string, number>>;
  /** Why figures of this time are not to be trusted; empty when they are. */
  readonly doubts: readonly string[];
}

export interface Process {
  readonly parent: number;
  readonly name: string;
  /** Its own time, ticks. */
  readonly ticks: number;
  /** The same, and that of its children that have ended. */
  readonly ticksWithEnded: number;
}

export interface Sample {
  readonly atMs: number;
  readonly load: number;
  readonly busyTicks: number;
  readonly stealTicks: number;
  readonly allTicks: number;
  readonly processes: ReadonlyMap<number, Process>;
}

/** Watches from its making on. Its own process and all that comes from it count as the bench. */
export class MachineWatch {
  readonly #before = sample();

  /** The machine since the start of the watch. */
  state(): MachineState {
    return stateBetween(this.#before, sample(), process.pid);
  }
}

/** @param benchPid the process that, with all that comes from it, is the bench */
export function stateBetween(before: Sample, now: Sample, benchPid: number): MachineState {
  const seconds = (now.atMs - before.atMs) / 1000;
  const cores = (ticks: number): number => Math.max(0, round(ticks / TICKS_PER_SECOND / seconds));
  const stealPercent = round((100 * (now.stealTicks - before.stealTicks)) / Math.max(1, now.allTicks - before.allTicks));
  const bench = treeOf(benchPid, now.processes);
  const ofBench = ticksOf(bench) - ticksOf(treeOf(benchPid, before.processes));
  const otherCores = cores(now.busyTicks - before.busyTicks - ofBench);
  const others = [...now.processes]
    .filter(([pid]) => !bench.has(pid) && before.processes.has(pid))
    .map(([pid, { name, ticks }]) => [`${name} ${pid}`, cores(ticks - (before.processes.get(pid)?.ticks ?? 0))] as const)
    .filter(([, used]) => used >= NAMED_CORES_MIN)
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED_MAX);
  return {
    ...{ load: now.load, stealPercent, otherCores, others: Object.fromEntries(others) },
    doubts: [
      ...(stealPercent > STEAL_PERCENT_MAX ? [`the host took ${stealPercent} % of the time`] : []),
      ...(otherCores > OTHER_CORES_MAX ? [`others used ${otherCores} cores`] : []),
    ],
  };
}

/** A process and its descendants. */
function treeOf(root: number, processes: ReadonlyMap<number, Process>): ReadonlyMap<number, Process> {
  const isBelow = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === root) return true;
    return false;
  };
  return new Map([...processes].filter(([pid]) => isBelow(pid)));
}

/** Children that have ended are included: the system adds their time to their parent. */
const ticksOf = (tree: ReadonlyMap<number, Process>): number =>
  [...tree.values()].reduce((sum, one) => sum + one.ticksWithEnded, 0);

function sample(): Sample {
  // user nice system idle iowait irq softirq steal; guests are part of user.
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/).map(Number);
  const ticks = fields.slice(0, 8);
  const [, , , idle = 0, waiting = 0, , , stealTicks = 0] = ticks;
  const allTicks = ticks.reduce((sum, one) => sum + one, 0);
  const load = round(loadavg()[0] ?? 0);
  return {
    atMs: performance.now(),
    load,
    busyTicks: allTicks - idle - waiting - stealTicks,
    stealTicks,
    allTicks,
    processes: all(),
  };
}

function all(): ReadonlyMap<number, Process> {
  const found = new Map<number, Process>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(pid);
    if (stat === undefined) continue;
    // The second field, the name in brackets, may hold spaces: count from behind it.
    const end = stat.lastIndexOf(')');
    const fields = stat
      .slice(end + 2)
      .split(' ')
      .map(Number);
    const at = (index: number): number => fields[index] ?? 0;
    const ticks = at(11) + at(12);
    const name = stat.slice(stat.indexOf('(') + 1, end);
    found.set(Number(pid), { parent: at(1), name, ticks, ticksWithEnded: ticks + at(13) + at(14) });
  }
  return found;
}

function statOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // it has ended
  }
}

const round = (value: number): number => Number(value.toFixed(2));
