// The script that puts commands into the mailboxes of accounts.
import { Script } from './script.ts';

/** Answers of `submitScript`, one per command; anything else is the text remembered for the command's Idempotency-Key. */
export const submitted = { queued: 0, mailboxFull: 1, journalFull: 2, keyReused: 3 } as const;

export const submitScript = new Script(`
-- Queues commands of one or many shards (in a cluster: of one slot).
-- KEYS  per shard: pending set, journal, sequence counter; per command of it: its stream and, when it has an
--       Idempotency-Key, the key of the remembered answer.
-- ARGV  longest mailbox, longest journal; per shard: wake-up channel, number of commands; per command: account id,
--       envelope, digest of the body ('' = no Idempotency-Key).
-- Answers one element per command: 0 queued, 1 mailbox full, 2 journal full, 3 key used with another body, or the
--       remembered answer as text.
-- Atomic because a command that is in a stream must be in the pending set too: otherwise no owner would ever look for it;
-- and because the wake-up carries the command only if it is the head of its stream. An account that was not pending has an
-- empty mailbox, for the commit takes it off the set only then.
local mailboxMax, journalMax = tonumber(ARGV[1]), tonumber(ARGV[2])
local answers, k, a = {}, 1, 3
while a <= #ARGV do
  local pending, journal, sequence = KEYS[k], KEYS[k + 1], KEYS[k + 2]
  local wakeup, count = ARGV[a], tonumber(ARGV[a + 1])
  local journalFull = redis.call('XLEN', journal) >= journalMax
  local number = redis.call('INCRBY', sequence, count) - count
  local rings = {}
  k, a = k + 3, a + 2
  for _ = 1, count do
    local stream, account, envelope, digest = KEYS[k], ARGV[a], ARGV[a + 1], ARGV[a + 2]
    local answer = 0
    k, a = k + 1, a + 3
    if digest ~= '' then
      local known = redis.call('GET', KEYS[k])
      k = k + 1
      if known then
        if string.sub(known, 1, #digest + 1) == digest .. ' ' then answer = string.sub(known, #digest + 2) else answer = 3 end
      end
    end
    if answer == 0 and journalFull then answer = 2 end
    if answer == 0 then
      local isHead = redis.call('SADD', pending, account) == 1
      if not isHead and redis.call('XLEN', stream) >= mailboxMax then
        answer = 1
      else
        number = number + 1
        local id = string.format('%.0f-0', number)
        redis.call('XADD', stream, id, 'c', envelope)
        if isHead then rings[#rings + 1] = account .. '\\n' .. id .. '\\n' .. envelope end
      end
    end
    answers[#answers + 1] = answer
  end
  if #rings > 0 then redis.call('PUBLISH', wakeup, table.concat(rings, '\\n')) end
end
return answers
`);
