// The script by which an owner reads its shard's journal.
import { Script } from '../../../shared/redis/script.ts';

/** Commits read at once while their times are looked at: so many more than wanted are read at most. */
const LOOKED_AT = 8;

export const readJournalScript = new Script(
  'readJournal',
  `
-- Reads a stretch of the journal, what the head says and where the journal ends.
-- KEYS  lease, journal, head.
-- ARGV  token, id of the first entry wanted, entries wanted at most, newest time of an entry that is wanted, ms ('' = any).
-- Answers {'read', entries, head as field and value in turn, id of the newest entry that there has ever been,
--     {id, time} of the entry that is too young to be wanted ({} = none was met)}
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
local from, left, newest = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local wanted, young = {}, {}
while left > 0 and not young[1] do
  local count = newest and math.min(left, ${LOOKED_AT}) or left
  local entries = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', count)
  for i = 1, #entries do
    if newest and tonumber(entries[i][2][2]) > newest then
      young = {entries[i][1], entries[i][2][2]}
      break
    end
    wanted[#wanted + 1] = entries[i]
  end
  if #entries < count then break end
  from = '(' .. entries[count][1]
  left = left - count
end
return {'read', wanted, redis.call('HGETALL', KEYS[3]), last, young}
`,
);
