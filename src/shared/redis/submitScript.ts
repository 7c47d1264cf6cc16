// The way of commands into the mailboxes of accounts: the script, its keys and arguments, and `queueCommands`.

import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { type Format, writeForm } from '../domain/formats.ts';
import { shardOf } from '../domain/shards.ts';
import { RetryableError } from '../errors.ts';
import { shardKeys } from './keys.ts';
import type { Redis } from './redis.ts';
import { answerPlace, REMEMBERED_LUA } from './rememberedAnswers.ts';
import { Script } from './script.ts';

/** A wake-up carries no longer command than this, bytes: its reader finds it in the mailbox. */
const WAKEUP_BYTES_MAX = 16_000;

/** Answers of `submitScript`, one per command; anything else is the text remembered for the command's Idempotency-Key. */
export const submitted = { queued: 0, mailboxFull: 1, journalFull: 2, keyReused: 3, answersFull: 4 } as const;

/** The bounds of a submit. */
export type SubmitBounds = Pick<
  Config,
  'MAILBOX_MAX' | 'MAILBOX_BYTES' | 'MAILBOX_SHARD_BYTES' | 'JOURNAL_MAX' | 'IDEMPOTENCY_BYTES' | 'IDEMPOTENCY_SHARD_BYTES'
>;

interface SubmittedCommand {
  readonly accountId: string;
  readonly envelope: string;
  readonly idempotency?: { readonly key: string; readonly bodyDigest: string } | undefined;
}

/** Keys and arguments of `submitScript` for commands by shard. */
export function submitCall(
  bounds: SubmitBounds,
  byShard: Iterable<readonly [shard: number, commands: readonly SubmittedCommand[]]>,
): { keys: string[]; args: (string | number)[] } {
  const keys: string[] = [];
  const args: (string | number)[] = [bounds.MAILBOX_MAX, bounds.JOURNAL_MAX, bounds.MAILBOX_BYTES, bounds.MAILBOX_SHARD_BYTES];
  args.push(bounds.IDEMPOTENCY_BYTES, bounds.IDEMPOTENCY_SHARD_BYTES);
  for (const [shard, commands] of byShard) {
    keys.push(shardKeys.pending(shard), shardKeys.journal(shard), shardKeys.sequence(shard));
    keys.push(shardKeys.mailboxBytes(shard), shardKeys.answerBytes(shard));
    args.push(shardKeys.wakeup(shard), commands.length);
    for (const { accountId, envelope, idempotency } of commands) {
      keys.push(shardKeys.commands(shard, accountId));
      if (idempotency) {
        keys.push(shardKeys.answer(shard, answerPlace(accountId, idempotency.key).name));
      }
      args.push(accountId, envelope, idempotency?.bodyDigest ?? '');
    }
  }
  return { keys, args };
}

export const submitScript = new Script(
  'submit',
  `
-- Queues commands of one or many shards (in a cluster: of one slot).
-- KEYS  per shard: pending set, journal, sequence counter, bytes of mailboxes, bytes of remembered answers; per command of it:
--       its stream and, when it has an Idempotency-Key, the key of the remembered answer.
-- ARGV  longest mailbox, longest journal; bytes in a mailbox, in all mailboxes of a shard; bytes of remembered answers of an
--       account, of a shard; per shard: wake-up channel, number of commands; per command: account id, envelope, digest of the
--       body ('' = no Idempotency-Key).
-- Answers one element per command: 0 queued, 1 mailbox full, 2 journal full, 3 key used with another body, 4 too many bytes of
--       answers are remembered, or the remembered answer as text.
-- Atomic because a command that is in a stream must be in the pending set too: otherwise no owner would ever look for it;
-- and because the wake-up carries the command only if it is the head of its stream (and is short, else an empty text). An
-- account that was not pending has an empty mailbox, for the commit takes it off the set only then: what is counted of it
-- from before is of commands that are gone. When a shard seems full, that is looked for once a second.
${REMEMBERED_LUA}
local function recount(waiting, pending, all)
  local second = redis.call('TIME')[1]
  if redis.call('HGET', waiting, '_recounted') == second then return all end
  local counted, sum = redis.call('HGETALL', waiting), 0
  for i = 1, #counted, 2 do
    if string.sub(counted[i], 1, 1) ~= '_' then
      if redis.call('SISMEMBER', pending, counted[i]) == 1 then sum = sum + counted[i + 1]
      else redis.call('HDEL', waiting, counted[i]) end
    end
  end
  redis.call('HSET', waiting, '_all', string.format('%.0f', sum), '_recounted', second)
  return sum
end
local mailboxMax, journalMax = tonumber(ARGV[1]), tonumber(ARGV[2])
local bytesMax, shardBytesMax = tonumber(ARGV[3]), tonumber(ARGV[4])
local answersMax, shardAnswersMax = tonumber(ARGV[5]), tonumber(ARGV[6])
local answers, k, a = {}, 1, 7
while a <= #ARGV do
  local pending, journal, sequence, waiting, remembered = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4]
  local wakeup, count = ARGV[a], tonumber(ARGV[a + 1])
  local journalFull = redis.call('XLEN', journal) >= journalMax
  local number = redis.call('INCRBY', sequence, count) - count
  local all = tonumber(redis.call('HGET', waiting, '_all') or '0')
  if all > shardBytesMax then all = recount(waiting, pending, all) end
  local allBefore = all
  local rings = {}
  k, a = k + 5, a + 2
  for _ = 1, count do
    local stream, account, envelope, digest = KEYS[k], ARGV[a], ARGV[a + 1], ARGV[a + 2]
    local answer = 0
    k, a = k + 1, a + 3
    if digest ~= '' then
      local known = redis.call('GET', KEYS[k])
      k = k + 1
      if known then
        if string.sub(known, 1, #digest + 1) == digest .. ' ' then answer = string.sub(known, #digest + 2) else answer = 3 end
      elseif isRememberedFull(remembered, account, answersMax, shardAnswersMax) then answer = 4 end
    end
    if answer == 0 and journalFull then answer = 2 end
    if answer == 0 then
      local isHead = redis.call('SADD', pending, account) == 1
      local bytes = #envelope
      local own = redis.call('HINCRBY', waiting, account, bytes)
      all = all + bytes
      if isHead and own > bytes then
        redis.call('HSET', waiting, account, bytes)
        all = all - own + bytes
        own = bytes
      end
      if (not isHead and redis.call('XLEN', stream) >= mailboxMax) or isOverfull(own, all, bytesMax, shardBytesMax) then
        answer = 1
        all = all - bytes
        redis.call('HINCRBY', waiting, account, -bytes)
        if isHead then
          redis.call('SREM', pending, account)
          redis.call('HDEL', waiting, account)
        end
      else
        number = number + 1
        local id = string.format('%.0f-0', number)
        redis.call('XADD', stream, id, 'c', envelope)
        if isHead then
          local told = bytes > ${WAKEUP_BYTES_MAX} and '' or envelope
          rings[#rings + 1] = account .. '\\n' .. id .. '\\n' .. told
        end
      end
    end
    answers[#answers + 1] = answer
  end
  if all ~= allBefore then redis.call('HINCRBY', waiting, '_all', all - allBefore) end
  if #rings > 0 then redis.call(PUBLISH, wakeup, table.concat(rings, '\\n')) end
end
return answers
`,
);

// `queueCommands` is for senders that do not wait for the answer: jobs, payments and operators. A queued
// command is durable and runs once, when the account's owner comes to it; the account's journal says what it did. A
// sender that needs the answer uses the API's command gateway instead.

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
