// The cost of work, for tests that compare a cost with a cost of another order of magnitude. Processor time does not count what
// else runs on the machine, and the least of several runs neither a collection of garbage nor code that is not compiled yet.

const RUNS = 5;

/** The least processor time of several runs, ms. */
export function leastCpuMs(work: () => unknown): number {
  const costs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...costs);
}
