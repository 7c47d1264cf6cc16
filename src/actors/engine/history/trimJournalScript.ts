// The script by which an owner cuts what MongoDB has from its shard's journal.
import { Script } from '../../../shared/redis/script.ts';

export const trimJournalScript = new Script(
  'trimJournal',
  `
-- Drops the journal's entries before an id.
-- KEYS  lease, journal.
-- ARGV  token, id of the first entry that stays.
-- Answers {'trimmed'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because only the owner knows what MongoDB has, and only as long as it is the owner.
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[2])
return {'trimmed'}
`,
  { whenFull: 'runs' },
);
