// The archive as tests of the history writer need it: metrics of their own, and no folder.
import { Registry } from 'prom-client';
import { archiveMetrics } from '../../src/actors/engine/archive/archiveMetrics.ts';
import type { ArchiveParts } from '../../src/actors/engine/archive/archiver.ts';

export const plainArchive = (): ArchiveParts => ({
  metrics: archiveMetrics(new Registry(), { lagMs: () => 0 }),
  copy: undefined,
});
