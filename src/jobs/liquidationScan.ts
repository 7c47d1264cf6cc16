// Asks every shard to check all of its accounts against the current marks. An account is liquidated at once when a
// mark reaches it. This scan is the second check: it finds accounts that the first one missed
// (`actor_missed_liquidations_total`).
import type { RepeatableJob } from '../shared/deployment/job.ts';
import { submitToEveryShard } from './shardMailbox.ts';

const NAME = 'liquidation-scan';

/** One waiting scan is enough: the next one would look at the same accounts. */
export const liquidationScan = (everyMs: number): RepeatableJob => ({
  name: NAME,
  everyMs,
  run: (parts, periodMs) => submitToEveryShard(parts, { job: NAME, periodMs, command: { type: 'scanLiquidation' } }),
});
