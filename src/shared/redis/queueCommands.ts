// Queues commands for an account from senders that do not wait for the answer: jobs, payments and operators. A queued
// command is durable and runs once, when the account's owner comes to it; the account's journal says what it did. A
// sender that needs the answer uses the API's command gateway instead.
import { randomBytes } from 'node:crypto';
import { type Format, writeForm } from '../domain/formats.ts';
import { shardOf } from '../domain/shardOf.ts';
import { RetryableError } from '../errors.ts';
import type { Redis } from './redis.ts';
import { type SubmitBounds, submitCall, submitScript, submitted } from './submitScript.ts';

/**
 * Queues commands (`AccountCommand` of src/actors/core) for one account, in this order. An account that may not be open
 * yet is opened first, with `openAccount`, which changes nothing otherwise.
 * @param options.requestId names the sender in logs: `job:trial-expiry`
 * @throws {RetryableError} when the account's mailbox or its shard's journal is full. Earlier commands of the call may be
 *   queued by then, so a command that comes this way must do nothing when it is repeated.
 */
export async function queueCommands<Command extends { readonly type: string }>(
  redis: Redis,
  options: {
    config: SubmitBounds & { readonly SHARDS: number };
    accountId: string;
    requestId: string;
    commands: readonly Command[];
    format: Format;
  },
): Promise<void> {
  const { config, accountId, requestId, commands, format } = options;
  const shard = shardOf(accountId, config.SHARDS);
  // A script call that is sent again after a broken connection has the same ids, and the owner skips ids that it knows.
  const incarnation = `queued.${randomBytes(8).toString('hex')}`;
  const envelopes = commands.map((command, index) =>
    writeForm({ id: { incarnation, counter: index + 1 }, requestId, command }, format),
  );
  const { keys, args } = submitCall(config, [[shard, envelopes.map((envelope) => ({ accountId, envelope }))]]);
  const answers = (await submitScript.run(redis, keys, args)) as number[];
  if (answers.some((answer) => answer !== submitted.queued)) {
    throw new RetryableError(`The mailbox of account ${accountId} takes no command at the moment.`);
  }
}
