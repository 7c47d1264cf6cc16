// The script by which an owner reads its shard's journal.
import { Script } from '../../shared/redis/script.ts';

export const readJournalScript = new Script(`
-- Reads a stretch of the journal, what the head says and where the journal ends.
-- KEYS  lease, journal, head.
-- ARGV  token, id of the first entry wanted, entries wanted at most.
-- Answers {'read', entries, head as field and value in turn, id of the newest entry that there has ever been}
--   | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because what is read is only known to be the shard's truth while the token holds, and head and journal belong
-- together.
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
local last = '0-0'
if redis.call('EXISTS', KEYS[2]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then last = info[i + 1] end
  end
end
return {'read', redis.call('XRANGE', KEYS[2], ARGV[2], '+', 'COUNT', ARGV[3]), redis.call('HGETALL', KEYS[3]), last}
`);
