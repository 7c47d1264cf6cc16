// Asks every shard to check all of its accounts against the current marks. An account is liquidated at once when a
// mark reaches it. This scan is the second check: it finds accounts that the first one missed
// (`actor_missed_liquidations_total`).
import type { RepeatableJob } from '../shared/deployment/job.ts';
import { submitShardCommand } from './shardMailbox.ts';

const NAME = 'liquidation-scan';
/** One waiting scan is enough: the next one would look at the same accounts. */
const MAILBOX_MAX = 1;

export const liquidationScan = (everyMs: number): RepeatableJob => ({
  name: NAME,
  everyMs,
  async run({ redis, config, formats, trace }, periodMs) {
    const command = { type: 'scanLiquidation' } as const;
    for (let shard = 0; shard < config.SHARDS; shard++) {
      const sent = { job: NAME, periodMs, command, mailboxMax: MAILBOX_MAX, format: formats.current, trace };
      await submitShardCommand(redis, { shard, ...sent });
    }
  },
});
