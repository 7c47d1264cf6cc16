// The scripts by which an owner reads and cuts its shard's journal, sets entries of a halted account aside, so that the journal can be
// cut without it, and ends the recovery of a journal that has lost its end.
import { LeaseLost, RetryableError } from '../../../shared/errors.ts';
import { Script } from '../../../shared/redis/script.ts';

/** Commits read at once while their times are looked at: so many more than wanted are read at most. */
const LOOKED_AT = 8;

/** In a script of the owner whose first key is the lease and whose first argument is the token: breaks off unless the lease is the caller's. */
export const OWNED_LUA = `
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
`;

/** @param status what such a script answers first @throws {LeaseLost}, {RetryableError} unless the lease was the caller's */
export function requireOwned(status: string, shard: number): void {
  if (status === 'fenced') throw new LeaseLost(`Shard ${shard} has another owner.`);
  if (status === 'unleased') throw new RetryableError(`The lease of shard ${shard} ran out.`);
}

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
${OWNED_LUA}
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

export const trimJournalScript = new Script(
  'trimJournal',
  `
-- Drops the journal's entries before an id.
-- KEYS  lease, journal.
-- ARGV  token, id of the first entry that stays.
-- Answers {'trimmed'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because only the owner knows what MongoDB has, and only as long as it is the owner.
${OWNED_LUA}
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[2])
return {'trimmed'}
`,
  { whenFull: 'runs' },
);

export const setAsideScript = new Script(
  'setAside',
  `
-- Adds entries of one account to those that were set aside; one that is there already is left out.
-- KEYS  lease, index of accounts, the account's list.
-- ARGV  token, account id; then per entry, in their order: its number, its commit, its text.
-- Answers {'kept'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because an entry must be in the list once, and the index says how far the list goes.
${OWNED_LUA}
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
${OWNED_LUA}
local seq = string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '', '^%d+')
if seq and tonumber(seq) <= tonumber(ARGV[3]) then
  redis.call('DEL', KEYS[3])
  redis.call('HDEL', KEYS[2], ARGV[2])
end
return {'cleared'}
`,
  { whenFull: 'runs' },
);

export const closeRecoveryScript = new Script(
  'closeRecovery',
  `
-- Lets the journal go on after a commit number that MongoDB has seen, and keeps the adopted accounts in memory.
-- KEYS  lease, journal, live set.
-- ARGV  token, id up to which the journal is settled; then the accounts that have to be in memory.
-- Answers {'settled'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because from here on the loss counts as dealt with: only its owner may say so, once every account is in place.
${OWNED_LUA}
redis.call('XADD', KEYS[2], ARGV[2], 'settled', '1')
redis.call('XDEL', KEYS[2], ARGV[2])
for i = 3, #ARGV do redis.call('SADD', KEYS[3], ARGV[i]) end
return {'settled'}
`,
  { whenFull: 'runs' },
);
