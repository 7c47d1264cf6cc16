// Metrics whose values a part of the process has anyway: they are read at each scrape, and cost nothing in between.
import { Counter, Gauge, type Registry } from 'prom-client';

/** Adds metrics to the registry that are read at each scrape. A value that cannot be read fails the scrape. */
export function scrapedMetrics(registry: Registry) {
  const registers = [registry];
  return {
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        ...{ name, help, registers },
        async collect() {
          this.set(await read());
        },
      });
    },
    counter(name: string, help: string, read: () => number): void {
      new Counter({
        ...{ name, help, registers },
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    /** @param label names what the counts differ in */
    counters(
      name: string,
      help: string,
      { label, read }: { label: string; read: () => Iterable<readonly [string, number]> },
    ): void {
      new Counter({
        ...{ name, help, registers, labelNames: [label] },
        collect() {
          this.reset();
          for (const [value, count] of read()) this.inc({ [label]: value }, count);
        },
      });
    },
  };
}
