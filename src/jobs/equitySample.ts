// Asks every shard to record the equity of its accounts with positions. Between fills nothing else puts a point on
// their equity curves. An account that has a point since the period began does nothing.
import type { RepeatableJob } from '../shared/deployment/job.ts';
import { submitShardCommand } from './shardMailbox.ts';

const NAME = 'equity-sample';
/** A sample cannot be taken for a past time, so one waiting command is enough. */
const MAILBOX_MAX = 1;

export const equitySample = (everyMs: number): RepeatableJob => ({
  name: NAME,
  everyMs,
  async run({ redis, config, formats, trace }, periodMs) {
    const command = { type: 'sampleEquity', periodMs } as const;
    for (let shard = 0; shard < config.SHARDS; shard++) {
      await submitShardCommand(redis, {
        shard,
        job: NAME,
        periodMs,
        command,
        mailboxMax: MAILBOX_MAX,
        format: formats.current,
        trace,
      });
    }
  },
});
