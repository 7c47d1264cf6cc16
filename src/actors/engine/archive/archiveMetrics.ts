// What operators watch of the archive, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ArchiveMetrics {
  onArchived(written: { readonly entries: number; readonly bytes: number }): void;
  onFailure(): void;
  onCopyFailure(): void;
  /** Documents that will not be copied. */
  onCopyMissed(documents: number): void;
}

/** @param read.lagMs age of the oldest journal entry that history has and the archive lacks, ms; the worst of the pod's shards */
export function archiveMetrics(registry: Registry, read: { readonly lagMs: () => number }): ArchiveMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const entries = counter('actor_archive_entries_total', 'Journal entries written into the archive.');
  const bytes = counter('actor_archive_bytes_total', 'Compressed bytes written into the archive.');
  const failures = counter('actor_archive_failures_total', 'Rounds of the archive that failed; each is tried again.');
  const copyFailures = counter(
    'actor_archive_copy_failures_total',
    'Files of ARCHIVE_DIR that could not be written; each is tried again.',
  );
  const copyMissed = counter('actor_archive_copy_missed_total', 'Documents that ARCHIVE_DIR does not get: too many waited.');
  new Gauge({
    name: 'actor_archive_lag_seconds',
    help: 'Age of the oldest journal entry that history has and the archive lacks, of this pod’s shards.',
    registers,
    collect() {
      this.set(read.lagMs() / 1000);
    },
  });
  return {
    onArchived: (written) => {
      entries.inc(written.entries);
      bytes.inc(written.bytes);
    },
    onFailure: () => failures.inc(),
    onCopyFailure: () => copyFailures.inc(),
    onCopyMissed: (documents) => copyMissed.inc(documents),
  };
}
