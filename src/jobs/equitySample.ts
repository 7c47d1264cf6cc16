// Asks every shard to record the equity of its accounts with positions. Between fills nothing else puts a point on
// their equity curves. An account that has a point since the period began does nothing.
import type { RepeatableJob } from '../shared/deployment/job.ts';
import { submitToEveryShard } from './shardMailbox.ts';

const NAME = 'equity-sample';

/** A sample cannot be taken for a past time, so one waiting command is enough. */
export const equitySample = (everyMs: number): RepeatableJob => ({
  name: NAME,
  everyMs,
  run: (parts, periodMs) => submitToEveryShard(parts, { job: NAME, periodMs, command: { type: 'sampleEquity', periodMs } }),
});
