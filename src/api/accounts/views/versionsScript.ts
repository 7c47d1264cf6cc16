// Reads the versions of many accounts at once (`shardKeys.versions`).
import { Script } from '../../../shared/redis/script.ts';

const TEXT = `
-- Reads which accounts' views are true. One step, so that lease, owner and versions are of one moment.
-- KEYS  lease and versions of each shard, in turn.
-- ARGV  for each shard: number of accounts, their ids.
-- Answers for each shard: the lease (nil = no owner), the owner that wrote the versions, then each account's version (nil = none).
local answer = {}
local at = 1
for i = 1, #KEYS, 2 do
  local last = at + tonumber(ARGV[at])
  answer[#answer + 1] = redis.call('GET', KEYS[i])
  answer[#answer + 1] = redis.call('HMGET', KEYS[i + 1], '_owner', unpack(ARGV, at + 1, last))
  at = last + 1
end
return answer
`;

export const versionsScript = new Script('viewVersions', TEXT);
