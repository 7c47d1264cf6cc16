// How a job reaches the accounts: it writes one command per shard and period into the shard's own mailbox. The shard
// keeps the last period of each job, so several job processes may write late or twice, and one command results.
import { type ShardCommand, writeShardCommand } from '../actors/core/messages/shardCommand.ts';
import type { JobParts } from '../shared/deployment/job.ts';
import type { Format } from '../shared/domain/formats.ts';
import { SHARD_MAILBOX, shardKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { Script } from '../shared/redis/script.ts';
import { inSpan, type Span } from '../shared/tracing/tracing.ts';

/** Commands that may wait for a shard without an owner: a fortnight of settlements every 8 hours. */
export const SHARD_MAILBOX_MAX = 42;

/** `known`: this period, or a later one, was written before. `full`: the mailbox is full and nothing was written. */
export type Submitted = 'queued' | 'known' | 'full';

const submit = new Script(
  'submitToShard',
  `
-- Queues a job's command for a shard, once per period.
-- KEYS  the shard's mailbox, periods by job, pending set, sequence counter.
-- ARGV  job, period in ms, name of the mailbox in the pending set, wake-up channel, command, longest mailbox.
-- Answers 'queued' | 'known' | 'full'.
-- Atomic because of two job processes that see the same last period only one may write, and because a command that is in
-- the stream must be in the pending set too.
local last = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '-1')
if tonumber(ARGV[2]) <= last then return 'known' end
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[6]) then return 'full' end
local id = string.format('%.0f-0', redis.call('INCR', KEYS[4]))
redis.call('XADD', KEYS[1], id, 'c', ARGV[5])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[3], ARGV[3])
redis.call(PUBLISH, ARGV[4], ARGV[3] .. '\\n' .. id .. '\\n')
return 'queued'
`,
);

/**
 * Writes a job's command for one shard and period. Periods rise: one at or below the last is `known`.
 * @param options.mailboxMax commands that may wait, this one included; 1 = write only into an empty mailbox, for commands
 *   of which one is enough
 * @param options.trace the run of the job, where it is traced
 */
export async function submitShardCommand(
  redis: Redis,
  options: {
    shard: number;
    job: string;
    periodMs: number;
    command: ShardCommand;
    format: Format;
    mailboxMax?: number;
    trace?: Span | undefined;
  },
): Promise<Submitted> {
  const { shard, job, periodMs, command, format, mailboxMax = SHARD_MAILBOX_MAX, trace } = options;
  const keys = [
    shardKeys.commands(shard, SHARD_MAILBOX),
    shardKeys.jobs(shard),
    shardKeys.pending(shard),
    shardKeys.sequence(shard),
  ];
  const fields = { store: 'redis', shard, command: command.type } as const;
  return inSpan(trace, { name: 'submit', kind: 'producer', fields }, async (span) => {
    const text = writeShardCommand(span ? { ...command, trace: span.place } : command, format);
    const args = [job, periodMs, SHARD_MAILBOX, shardKeys.wakeup(shard), text, mailboxMax];
    return (await submit.run(redis, keys, args)) as Submitted;
  });
}

/** Writes a job's command for every shard whose mailbox is empty: for commands of which one is enough. */
export async function submitToEveryShard(
  { redis, config, formats, trace }: JobParts,
  sent: { readonly job: string; readonly periodMs: number; readonly command: ShardCommand },
): Promise<void> {
  for (let shard = 0; shard < config.SHARDS; shard++)
    await submitShardCommand(redis, { ...sent, shard, mailboxMax: 1, format: formats.current, trace });
}
