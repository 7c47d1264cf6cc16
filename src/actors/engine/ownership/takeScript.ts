// The script by which a pod becomes the owner of a free shard.

import { REDIS_LIFE_LUA } from '../../../shared/redis/redisLife.ts';
import { Script } from '../../../shared/redis/script.ts';

export const takeScript = new Script(
  'takeShard',
  `
-- Takes a shard without an owner.
-- KEYS  lease, head, kept snapshots.
-- ARGV  token, lease life in ms, the token's epoch, commit number and id counter that are known from elsewhere, ids to skip,
--       1 when these numbers are Redis's alone: then only a proven shard is taken.
-- Answers {'taken'} another pod owns it | {'stale'} the epoch was used meanwhile: read the highest numbers again
--   | {'unproven'} Redis alone does not prove them: ask MongoDB
--   | {'won', commit number, id counter, 1 when the last owner went in order, 1 when it had all its accounts and worked,
--     1 when the shard is proven}.
-- Proven: the last owner has said, in this life of Redis, that nothing it had answered is missing. Otherwise
-- Redis may have lost the end of the journal behind the kept snapshots: they are removed.
-- Atomic because two pods may read the same floor: only one may get the epoch, and what it goes on from must be what the
-- last owner left.
${REDIS_LIFE_LUA}
if redis.call('EXISTS', KEYS[1]) == 1 then return {'taken'} end
local head = redis.call('HMGET', KEYS[2], 'epoch', 'n', 'ids', 'clean', 'work', 'kept')
if tonumber(head[1] or '0') >= tonumber(ARGV[3]) then return {'stale'} end
local life = redisLife()
local proven = head[1] and life ~= '' and head[6] == head[1] .. ' ' .. life
if ARGV[7] == '1' and not proven then return {'unproven'} end
local number = math.max(tonumber(head[2] or '0'), tonumber(ARGV[4]))
local ids = math.max(tonumber(head[3] or '0'), tonumber(ARGV[5])) + tonumber(ARGV[6])
local clean = (not head[1] or head[4] == '1') and 1 or 0
local worked = (head[1] and head[5] == head[1]) and 1 or 0
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], 'epoch', ARGV[3], 'by', ARGV[1], 'n', string.format('%.0f', number), 'ids', string.format('%.0f', ids), 'clean', '0')
if proven then
  redis.call('HSET', KEYS[2], 'kept', ARGV[3] .. ' ' .. life)
else
  redis.call('HDEL', KEYS[2], 'kept')
  redis.call('UNLINK', KEYS[3])
end
return {'won', number, ids, clean, worked, proven and 1 or 0}
`,
  { whenFull: 'runs' },
);
