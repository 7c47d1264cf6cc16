// The scripts that keep entries of a halted account beside the journal, so that the journal can be cut without it.
import { Script } from '../../../shared/redis/script.ts';

export const setAsideScript = new Script(
  'setAside',
  `
-- Adds entries of one account to those that were set aside; one that is there already is left out.
-- KEYS  lease, index of accounts, the account's list.
-- ARGV  token, account id; then per entry, in their order: its number, its commit, its text.
-- Answers {'kept'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because an entry must be in the list once, and the index says how far the list goes.
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
local known = redis.call('HGET', KEYS[2], ARGV[2]) or '0 0 0'
local seq, commit, bytes = string.match(known, '^(%d+) (%d+) (%d+)$')
bytes = tonumber(bytes)
for i = 3, #ARGV, 3 do
  if tonumber(ARGV[i]) > tonumber(seq) then
    seq, commit, bytes = ARGV[i], ARGV[i + 1], bytes + #ARGV[i + 2]
    redis.call('RPUSH', KEYS[3], ARGV[i + 1] .. ' ' .. ARGV[i + 2])
  end
end
redis.call('HSET', KEYS[2], ARGV[2], seq .. ' ' .. commit .. ' ' .. string.format('%.0f', bytes))
return {'kept'}
`,
  { whenFull: 'runs' },
);

export const clearSetAsideScript = new Script(
  'clearSetAside',
  `
-- Removes what was set aside of one account, unless more was set aside meanwhile.
-- KEYS  lease, index of accounts, the account's list.
-- ARGV  token, account id, number of the last entry that is needed no more.
-- Answers {'cleared'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because list and index belong together, and only the owner knows what MongoDB has.
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
local seq = string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '', '^%d+')
if seq and tonumber(seq) <= tonumber(ARGV[3]) then
  redis.call('DEL', KEYS[3])
  redis.call('HDEL', KEYS[2], ARGV[2])
end
return {'cleared'}
`,
  { whenFull: 'runs' },
);
