// The script that keeps a shard's lease alive.
import { Script } from '../../shared/redis/script.ts';

export const renewScript = new Script(
  `
-- Renews a lease; one that ran out and that no other pod has taken since is renewed under the same token.
-- KEYS  lease, head.
-- ARGV  token, lease life in ms, the token's epoch.
-- Answers 1 renewed, 0 lost: another owner has or had it.
-- Atomic because between reading the lease and writing it another pod could take it.
local owner = redis.call('GET', KEYS[1])
if owner == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
if owner or redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
  { whenFull: 'runs' },
);
