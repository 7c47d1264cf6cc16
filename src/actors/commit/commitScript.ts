// The script that commits a batch of decisions: the only way in which an account ever changes.
import { REMEMBERED_LUA } from '../../shared/redis/rememberedBytes.ts';
import { Script } from '../../shared/redis/script.ts';

/** First element of the script's answer. After the first two follow the accounts that still have commands waiting. */
export type CommitAnswer = 'applied' | 'already' | 'gap' | 'fenced' | 'unleased' | 'late';

const TEXT = `
-- Appends to the journal, consumes commands, remembers answers and publishes replies, all or nothing.
-- KEYS  lease, head, journal, pending set, live set, dead letters, quarantine, bytes of mailboxes, bytes of remembered
--       answers; then the stream of each account with consumed commands; then the key of each remembered answer and of each
--       reply that is too long for a message; then, if there are any, the hash of versions.
-- ARGV  1 token, 2 commit number, 3 epoch, 4 id counter, 5 tick position, 6 time in ms, 7 latest time in ms by Redis's
--       clock (0 = any), 8 journal entries as JSON ('' = none), 9 dead letters kept at most, 10 bytes of their commands kept
--       at most; then nine lists, each led by its count:
--       consumed: account id, bytes of the commands, number of ids, the ids | live additions: account id
--       | live removals: account id
--       | parked: account id, command, reason, time | quarantined: account id, reason | quarantine ended: account id
--       | remembered, and long replies: value, life in ms, account id ('' = not counted)
--       | versions: account id, its newest entry ('' = no view of it is true any more) | replies: channel, message
-- Answers {'applied', account ids that still have commands waiting...} | {'already', ...} this number was applied before
--   | {'gap'} numbers are missing | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it
--   | {'late', Redis's time in ms} the latest time has passed.
-- Atomic because a command must either be in its stream or its events in the journal, never both or neither, and because
-- token and number must hold for the very write they guard. Checks come before the first write: Redis does not roll back.
${REMEMBERED_LUA}
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
local number, stored = tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[2], 'n') or '0')
if number > stored + 1 then return {'gap'} end
local again = number <= stored
local notAfterMs = tonumber(ARGV[7])
if not again and notAfterMs > 0 then
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + time[2] / 1000
  if nowMs > notAfterMs then return {'late', string.format('%.3f', nowMs)} end
end
if not again then
  if ARGV[8] ~= '' then
    redis.call('XADD', KEYS[3], ARGV[2] .. '-0', 't', ARGV[6], 'k', ARGV[3], 'i', ARGV[4], 'e', ARGV[8])
  end
  redis.call('HSET', KEYS[2], 'n', ARGV[2], 'epoch', ARGV[3], 'ids', ARGV[4], 'tick', ARGV[5], 'atMs', ARGV[6])
end
local answer = {again and 'already' or 'applied'}
local a = 11
local function count()
  a = a + 1
  return tonumber(ARGV[a - 1])
end
local k = 10
local taken = 0
for _ = 1, count() do
  local account, bytes, ids = ARGV[a], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  a = a + 3
  taken = taken + bytes
  if not again and ids > 0 then redis.call('XDEL', KEYS[k], unpack(ARGV, a, a + ids - 1)) end
  a = a + ids
  if redis.call('XLEN', KEYS[k]) > 0 then
    answer[#answer + 1] = account
    if not again and bytes > 0 then redis.call('HINCRBY', KEYS[8], account, -bytes) end
  elseif not again then
    redis.call('DEL', KEYS[k])
    redis.call('SREM', KEYS[4], account)
    redis.call('HDEL', KEYS[8], account)
  end
  k = k + 1
end
if again then return answer end
if redis.call('SCARD', KEYS[4]) == 0 then redis.call('DEL', KEYS[8])
elseif taken > 0 then redis.call('HINCRBY', KEYS[8], '_all', -taken) end
for _ = 1, count() do redis.call('SADD', KEYS[5], ARGV[a]); a = a + 1 end
for _ = 1, count() do redis.call('SREM', KEYS[5], ARGV[a]); a = a + 1 end
for _ = 1, count() do
  redis.call('XADD', KEYS[6], '*', 'account', ARGV[a], 'command', ARGV[a + 1], 'reason', ARGV[a + 2], 't', ARGV[a + 3])
  a = a + 4
  local bytes = 0
  local letters = redis.call('XREVRANGE', KEYS[6], '+', '-', 'COUNT', ARGV[9])
  for i = 1, #letters do
    bytes = bytes + #letters[i][2][4]
    if i > 1 and (i == tonumber(ARGV[9]) or bytes > tonumber(ARGV[10])) then
      redis.call('XTRIM', KEYS[6], 'MINID', letters[i - 1][1])
      break
    end
  end
end
for _ = 1, count() do redis.call('HSET', KEYS[7], ARGV[a], ARGV[a + 1]); a = a + 2 end
for _ = 1, count() do redis.call('HDEL', KEYS[7], ARGV[a]); a = a + 1 end
for _ = 1, count() do
  redis.call('SET', KEYS[k], ARGV[a], 'PX', ARGV[a + 1])
  if ARGV[a + 2] ~= '' then countRemembered(KEYS[9], ARGV[a + 2], #ARGV[a], tonumber(ARGV[a + 1])) end
  k = k + 1
  a = a + 3
end
for _ = 1, count() do
  if ARGV[a + 1] == '' then redis.call('HDEL', KEYS[k], ARGV[a])
  else redis.call('HSET', KEYS[k], ARGV[a], ARGV[a + 1]) end
  a = a + 2
end
for _ = 1, count() do redis.call('PUBLISH', ARGV[a], ARGV[a + 1]); a = a + 2 end
return answer
`;

/**
 * Redis runs it also when it is full. New commands are refused there, so what is committed then was taken before, or comes from
 * the market: the journal's own bounds hold for it. An account with a decision that cannot be committed would give no snapshot, and
 * keep the journal that fills Redis from being cut.
 */
export const commitScript = new Script(TEXT, { whenFull: 'runs' });
