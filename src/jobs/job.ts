// What a repeatable job is. It is repeatable by construction: BullMQ may run it twice, late, or in two processes at once,
// so what it does is a function of its period and changes nothing the second time.
import type { RoleParts } from '../shared/role.ts';

export type JobParts = Pick<RoleParts, 'config' | 'log' | 'redis' | 'mongo' | 'now'>;

export interface RepeatableJob {
  readonly name: string;
  /** Milliseconds between two runs. */
  readonly everyMs: number;
  /** @param periodMs start of the period the run is for, milliseconds since the epoch, a multiple of `everyMs` */
  run(parts: JobParts, periodMs: number): Promise<void>;
}
