// Puts the letter of a requeued command back when its owner did not do it, so that it can be requeued again.
import { isUndone } from '../../actors/core/messages/envelope.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { Script } from '../../shared/redis/script.ts';
import type { Sent } from '../accounts/sendToAccount.ts';
import type { OperatorParts } from '../operatorParts.ts';
import type { DeadLetter } from './deadLetters.ts';

const putBackScript = new Script(
  'putDeadLetterBack',
  `
-- Makes a command a dead letter again.
-- KEYS  mailbox, dead letters, bytes of mailboxes.
-- ARGV  account id, its id in the mailbox ('' = it was consumed), its bytes there, command, reason, time in ms.
-- Answers the letter's new id, nothing when the command is not in the mailbox any more.
-- Atomic because a command must be in one of the two: what its owner has consumed meanwhile must not come back.
if ARGV[2] ~= '' then
  if redis.call('XDEL', KEYS[1], ARGV[2]) == 0 then return false end
  if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then
    redis.call('HINCRBY', KEYS[3], ARGV[1], -ARGV[3])
    redis.call('HINCRBY', KEYS[3], '_all', -ARGV[3])
  end
end
return redis.call('XADD', KEYS[2], '*', 'account', ARGV[1], 'command', ARGV[4], 'reason', ARGV[5], 't', ARGV[6])
`,
);

/** @returns the letter's new name; undefined when the command was decided, is parked anew, or may have been done */
export async function putBackUndone(
  { redis }: Pick<OperatorParts, 'redis'>,
  letter: DeadLetter,
  { reply, waiting }: Pick<Sent, 'reply' | 'waiting'>,
): Promise<string | undefined> {
  if (reply !== undefined && !('failure' in reply && isUndone(reply.failure))) return undefined;
  const { shard, accountId, text, reason, parkedMs } = letter;
  const keys = [shardKeys.commands(shard, accountId), shardKeys.dead(shard), shardKeys.mailboxBytes(shard)];
  // Its deadline is over when no answer came: what is in the mailbox then will not be done.
  const inMailbox = reply === undefined ? waiting.id : '';
  const id = await putBackScript.run(redis, keys, [accountId, inMailbox, waiting.bytes, text, reason, parkedMs]);
  return id === null ? undefined : `${shard}:${id}`;
}
