// Asks every shard to note what its accounts with positions are worth: between fills nothing else would put a point on
// their equity curves. An account that has noted it since the period began does nothing.
import type { RepeatableJob } from './job.ts';
import { submitShardCommand } from './running/shardMailbox.ts';

const NAME = 'equity-sample';
/** A sample of the past cannot be taken: while one waits, the next one makes it superfluous. */
const MAILBOX_MAX = 1;

export const equitySample = (everyMs: number): RepeatableJob => ({
  name: NAME,
  everyMs,
  async run({ redis, config }, periodMs) {
    const command = { type: 'sampleEquity', periodMs } as const;
    for (let shard = 0; shard < config.SHARDS; shard++) {
      await submitShardCommand(redis, { shard, job: NAME, periodMs, command, mailboxMax: MAILBOX_MAX });
    }
  },
});
