// The script that writes commits down before they are made true, for replicas to have them first.
import { REDIS_LIFE_LUA } from '../../../shared/redis/redisLife.ts';
import { Script } from '../../../shared/redis/script.ts';

export const prepareScript = new Script(
  'prepare',
  `
-- Writes down the next commit of shards, which only the next owner reads. One that was prepared before goes.
-- KEYS  per part: lease, head, prepared commit, versions.
-- ARGV  per part: token, commit number, the commit's text, number of accounts that it changes and that have versions, these.
-- Answers one element per part: 'prepared' | 'already' this number was applied before
--   | 'gap' numbers are missing | 'fenced' another owner has the shard | 'unleased' the lease ran out, no pod has it.
-- Atomic because only the owner may say what comes next. A number that the head has reached and that is prepared is not applied
-- yet: the take of its next owner has raised the head to what MongoDB knows. From here on no view of the accounts is true: what is
-- asked waits for the commit. Prepared again, it keeps the life of Redis in which it was first: in that one it may have been answered.
${REDIS_LIFE_LUA}
local life
local answers, k, a = {}, 1, 1
while k <= #KEYS do
  local lease, head, prepared, versions = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3]
  local token, number, text, changed = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2], tonumber(ARGV[a + 3])
  local owner, stored = redis.call('GET', lease), tonumber(redis.call('HGET', head, 'n') or '0')
  local isAgain = redis.call('HGET', prepared, 'n') == ARGV[a + 1]
  local answer = 'prepared'
  if not owner then answer = 'unleased'
  elseif owner ~= token then answer = 'fenced'
  elseif number > stored + 1 then answer = 'gap'
  elseif number <= stored and not isAgain then answer = 'already' end
  if answer == 'prepared' then
    if not isAgain then
      life = life or redisLife()
      redis.call('HSET', prepared, 'life', life)
    end
    redis.call('HSET', prepared, 'n', ARGV[a + 1], 'part', text)
    for i = a + 4, a + 3 + changed do redis.call('HDEL', versions, ARGV[i]) end
  end
  answers[#answers + 1] = answer
  k, a = k + 4, a + 4 + changed
end
return answers
`,
  { whenFull: 'runs' },
);
