// The script with which a new owner records the state from which it continues after recovery.
import { Script } from '../../../shared/redis/script.ts';

export const openScript = new Script(
  'openShard',
  `
-- Raises the head to what recovery found and notes the commands at the heads of the mailboxes: should this owner die, the
-- next one knows which commands it had before it. No view of an account that was given away before is true any more.
-- KEYS  lease, head, poison commands, versions.
-- ARGV  token, commit number, id counter, name of the owner for versions; then per head: account id, '<stream id> <count>'.
-- Answers the commit number to go on from, -1 when the lease is not the caller's.
-- Atomic because only the owner may write, and no commit may come between.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
local head = redis.call('HMGET', KEYS[2], 'n', 'ids')
local number = math.max(tonumber(head[1] or '0'), tonumber(ARGV[2]))
local ids = math.max(tonumber(head[2] or '0'), tonumber(ARGV[3]))
redis.call('HSET', KEYS[2], 'n', string.format('%.0f', number), 'ids', string.format('%.0f', ids))
redis.call('DEL', KEYS[3])
redis.call('UNLINK', KEYS[4])
redis.call('HSET', KEYS[4], '_owner', ARGV[4])
for i = 5, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
return number
`,
  { whenFull: 'runs' },
);
