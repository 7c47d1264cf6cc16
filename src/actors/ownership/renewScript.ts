// The script that keeps the leases of a pod's shards alive.
import { Script } from '../../shared/redis/script.ts';

export const renewScript = new Script(
  `
-- Renews leases; one that ran out and that no other pod has taken since is renewed under the same token.
-- KEYS  lease and head of each shard, in turn.
-- ARGV  lease life in ms, then for each shard: token, the token's epoch.
-- Answers for each shard: 1 renewed, 0 lost: another owner has or had it.
-- Atomic because between reading a lease and writing it another pod could take it.
local function renewed(lease, head, token, epoch)
  local owner = redis.call('GET', lease)
  if owner == token then
    redis.call('PEXPIRE', lease, ARGV[1])
    return 1
  end
  if owner or redis.call('HGET', head, 'epoch') ~= epoch then return 0 end
  redis.call('SET', lease, token, 'PX', ARGV[1])
  return 1
end
local answer = {}
for i = 1, #KEYS, 2 do answer[#answer + 1] = renewed(KEYS[i], KEYS[i + 1], ARGV[i + 1], ARGV[i + 2]) end
return answer
`,
  { whenFull: 'runs' },
);
