// The script by which an owner says that it has all its accounts and works.
import { Script } from '../../../shared/redis/script.ts';

export const noteWorkScript = new Script(
  'noteWork',
  `
-- Notes in the head that this owner has loaded all its accounts. Until then it may die of loading, and no command is to blame.
-- KEYS  lease, head.
-- ARGV  token, the token's epoch.
-- Answers 1 noted, 0 the shard is not the caller's.
-- Atomic because only the owner may say so of its epoch.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'work', ARGV[2])
return 1
`,
  { whenFull: 'runs' },
);
