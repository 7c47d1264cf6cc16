// The script by which an owner keeps snapshots of its accounts in Redis.

import { REDIS_LIFE_LUA } from '../../../shared/redis/redisLife.ts';
import { Script } from '../../../shared/redis/script.ts';

/** What Redis needs for a field beside its value, bytes, about: the account's id and the hash's own. */
const FIELD_BYTES = 150;

export const keepScript = new Script(
  'keepSnapshots',
  `
-- Keeps snapshots and removes others. With a commit it says that in this life of Redis nothing is missing that this owner
-- was answered.
-- KEYS  lease, head, kept snapshots.
-- ARGV  token, the token's epoch, newest commit that Redis has answered the owner or '', bytes kept at most, number of accounts to be
--       removed, these accounts; then per snapshot: account id, number of its newest entry, value.
-- Answers {'kept', accounts whose snapshots found no room...} | {'lost'} Redis has not got that commit any more
--   | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because only the owner knows what it was answered, and an older snapshot must not replace a later one. An account
-- whose new snapshot finds no room loses the old one: the journal may be cut behind the new one.
${REDIS_LIFE_LUA}
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
local committed = tonumber(ARGV[3])
if committed and tonumber(redis.call('HGET', KEYS[2], 'n') or '0') < committed then return {'lost'} end
local kept = KEYS[3]
local bytes = tonumber(redis.call('HGET', kept, '_bytes') or '0')
local function remove(account)
  local length = redis.call('HSTRLEN', kept, account)
  if length == 0 then return end
  redis.call('HDEL', kept, account)
  bytes = bytes - length - ${FIELD_BYTES}
end
local first = 6 + tonumber(ARGV[5])
for i = 6, first - 1 do remove(ARGV[i]) end
local answer = {'kept'}
for i = first, #ARGV, 3 do
  local account, value = ARGV[i], ARGV[i + 2]
  local old = redis.call('HGET', kept, account)
  local seq = old and tonumber(string.match(old, '^%d+ (%d+) ')) or -1
  if seq < tonumber(ARGV[i + 1]) then
    remove(account)
    if bytes + #value + ${FIELD_BYTES} > tonumber(ARGV[4]) then
      answer[#answer + 1] = account
    else
      redis.call('HSET', kept, account, value)
      bytes = bytes + #value + ${FIELD_BYTES}
    end
  end
end
if bytes > 0 then redis.call('HSET', kept, '_bytes', string.format('%.0f', bytes)) else redis.call('DEL', kept) end
if committed then redis.call('HSET', KEYS[2], 'kept', ARGV[2] .. ' ' .. redisLife()) end
return answer
`,
  { whenFull: 'runs' },
);
