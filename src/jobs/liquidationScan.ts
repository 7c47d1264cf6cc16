// Asks every shard to check all of its accounts against the marks of now. Accounts are liquidated at once when a mark
// reaches them; this is the second way, which finds what the first one should have found (`actor_missed_liquidations_total`).
import type { RepeatableJob } from './job.ts';
import { submitShardCommand } from './running/shardMailbox.ts';

const NAME = 'liquidation-scan';
/** A scan waits for nothing: the next one makes it superfluous. */
const MAILBOX_MAX = 1;

export const liquidationScan = (everyMs: number): RepeatableJob => ({
  name: NAME,
  everyMs,
  async run({ redis, config }, periodMs) {
    const command = { type: 'scanLiquidation' } as const;
    for (let shard = 0; shard < config.SHARDS; shard++) {
      await submitShardCommand(redis, { shard, job: NAME, periodMs, command, mailboxMax: MAILBOX_MAX });
    }
  },
});
