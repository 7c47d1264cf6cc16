// The archive as tests of the history writer need it: metrics of their own, and no folder.
import { Registry } from 'prom-client';
import type { ArchiveParts } from '../../src/actors/engine/journal/archiver.ts';
import { archiveMetrics } from '../../src/actors/engine/shardMetrics.ts';

export const plainArchive = (): ArchiveParts => ({
  metrics: archiveMetrics(new Registry(), { lagMs: () => 0 }),
  copy: undefined,
});
