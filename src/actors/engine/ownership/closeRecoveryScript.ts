// The script that ends the recovery of a shard whose journal has lost its end.
import { Script } from '../../../shared/redis/script.ts';

export const closeRecoveryScript = new Script(
  'closeRecovery',
  `
-- Lets the journal go on after a commit number that MongoDB has seen, and keeps the adopted accounts in memory.
-- KEYS  lease, journal, live set.
-- ARGV  token, id up to which the journal is settled; then the accounts that have to be in memory.
-- Answers {'settled'} | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it.
-- Atomic because from here on the loss counts as dealt with: only its owner may say so, once every account is in place.
local owner = redis.call('GET', KEYS[1])
if not owner then return {'unleased'} end
if owner ~= ARGV[1] then return {'fenced'} end
redis.call('XADD', KEYS[2], ARGV[2], 'settled', '1')
redis.call('XDEL', KEYS[2], ARGV[2])
for i = 3, #ARGV do redis.call('SADD', KEYS[3], ARGV[i]) end
return {'settled'}
`,
  { whenFull: 'runs' },
);
