// Jobs that ask every shard to look at all of its accounts.

import type { ShardCommand } from '../actors/core/messages/shardCommand.ts';
import type { JobParts, RepeatableJob } from '../shared/deployment/job.ts';
import { submitShardCommand } from './shardMailbox.ts';

const LIQUIDATION_SCAN = 'liquidation-scan';
const EQUITY_SAMPLE = 'equity-sample';

/**
 * Checks all accounts against the current marks. An account is liquidated at once when a mark reaches it. This scan is the second check: it
 * finds accounts that the first one missed (`actor_missed_liquidations_total`).
 */
export const liquidationScan = (everyMs: number): RepeatableJob => ({
  name: LIQUIDATION_SCAN,
  everyMs,
  run: (parts, periodMs) => submitToAll(parts, { job: LIQUIDATION_SCAN, periodMs, command: { type: 'scanLiquidation' } }),
});

/**
 * Records the equity of accounts with positions. Between fills nothing else puts a point on their equity curves. An account that has a
 * point since the period began does nothing.
 */
export const equitySample = (everyMs: number): RepeatableJob => ({
  name: EQUITY_SAMPLE,
  everyMs,
  run: (parts, periodMs) => submitToAll(parts, { job: EQUITY_SAMPLE, periodMs, command: { type: 'sampleEquity', periodMs } }),
});

/** One waiting command is enough: the next scan would look at the same accounts, and a sample cannot be taken for a past time. */
const MAILBOX_MAX = 1;

async function submitToAll(
  { redis, config, formats, trace }: JobParts,
  sent: { readonly job: string; readonly periodMs: number; readonly command: ShardCommand },
): Promise<void> {
  for (let shard = 0; shard < config.SHARDS; shard++)
    await submitShardCommand(redis, { ...sent, shard, mailboxMax: MAILBOX_MAX, format: formats.current, trace });
}
