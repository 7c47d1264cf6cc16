// The way of those to an account who wait for no answer: jobs, payments, operators. What is queued here is durable and runs
// once, whenever the account's owner comes to it; what it does is in the account's journal. Who needs the answer, or has a
// client that waits, goes by the API's command gateway.
import { randomBytes } from 'node:crypto';
import { shardOf } from '../domain/shardOf.ts';
import { RetryableError } from '../errors.ts';
import { shardKeys } from './keys.ts';
import type { Redis } from './redis.ts';
import { submitScript, submitted } from './submitScript.ts';

/**
 * Queues commands (`AccountCommand` of src/actors/domain) for one account, in this order. An account that may not be open
 * yet is opened first, with `openAccount`, which changes nothing otherwise.
 * @param options.requestId tells in logs who has sent them: `job:trial-expiry`
 * @throws {RetryableError} when the account's mailbox or its shard's journal is full; those before may be queued, so
 *   commands that come this way must do nothing when they are repeated
 */
export async function queueCommands<Command extends { readonly type: string }>(
  redis: Redis,
  options: {
    config: { readonly SHARDS: number; readonly MAILBOX_MAX: number; readonly JOURNAL_MAX: number };
    accountId: string;
    requestId: string;
    commands: readonly Command[];
  },
): Promise<void> {
  const { config, accountId, requestId, commands } = options;
  const shard = shardOf(accountId, config.SHARDS);
  // A script call that is sent again after a broken connection brings the same ids: the second ones are seen and skipped.
  const incarnation = `queued.${randomBytes(8).toString('hex')}`;
  const envelopes = commands.map((command, index) =>
    JSON.stringify({ id: { incarnation, counter: index + 1 }, requestId, command }),
  );
  const keys = [shardKeys.pending(shard), shardKeys.journal(shard), shardKeys.sequence(shard)];
  const args: (string | number)[] = [config.MAILBOX_MAX, config.JOURNAL_MAX, shardKeys.bell(shard), commands.length];
  for (const envelope of envelopes) {
    keys.push(shardKeys.commands(shard, accountId));
    args.push(accountId, envelope, '');
  }
  const answers = (await submitScript.run(redis, keys, args)) as number[];
  if (answers.some((answer) => answer !== submitted.queued)) {
    throw new RetryableError(`The mailbox of account ${accountId} takes no command at the moment.`);
  }
}
