// The shape of a repeatable job. BullMQ may run a job twice, late, or in two processes at once. So the work of a run
// is a function of its period, and a second run changes nothing.

import type { Span } from '../tracing/tracing.ts';
import type { RoleParts } from './role.ts';

export interface JobParts extends Pick<RoleParts, 'config' | 'log' | 'redis' | 'mongo' | 'formats' | 'now'> {
  /** Of the run, where it is traced. */
  readonly trace?: Span | undefined;
}

export interface RepeatableJob {
  readonly name: string;
  /** Milliseconds between two runs. */
  readonly everyMs: number;
  /** @param periodMs start of the period the run is for, milliseconds since the epoch, a multiple of `everyMs` */
  run(parts: JobParts, periodMs: number): Promise<void>;
}
