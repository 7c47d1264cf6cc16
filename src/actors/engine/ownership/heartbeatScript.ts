// The script by which an actor pod announces that it lives and learns which others do.
import { RAISE_PINS_LUA } from '../../../shared/deployment/shardPinsRecord.ts';
import { Script } from '../../../shared/redis/script.ts';

export const heartbeatScript = new Script(
  'podHeartbeat',
  `
-- Writes the pod's status under Redis's clock, forgets pods long silent, answers all.
-- KEYS  pods, record of moved shards.
-- ARGV  pod id, status JSON ('' = leave), silence in ms after which a pod is forgotten, the record of moved shards as the pod knows
--       it ('' = none): put back when Redis has lost it; when the pod last spoke, since when without a pause, and the silence in ms
--       that is a pause.
-- Answers {Redis's time in ms, since when the pod speaks without a pause, record of moved shards, pod id, status, pod id, status, ...}; a status is '<ms> <JSON>'.
-- Atomic because a pod that is forgotten must not have spoken in between. One clock for all: pods need not agree on time.
${RAISE_PINS_LUA}
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local sinceMs = tonumber(ARGV[6])
if nowMs - tonumber(ARGV[5]) > tonumber(ARGV[7]) then sinceMs = nowMs end
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
else
  local status = string.format('{"sinceMs":%.0f,', sinceMs) .. string.sub(ARGV[2], 2)
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', nowMs) .. status)
end
local answer = {nowMs, sinceMs, raisePins(KEYS[2], ARGV[4])}
local pods = redis.call('HGETALL', KEYS[1])
for i = 1, #pods, 2 do
  local atMs = tonumber(string.match(pods[i + 1], '^(%d+)')) or 0
  if nowMs - atMs > tonumber(ARGV[3]) then redis.call('HDEL', KEYS[1], pods[i])
  else answer[#answer + 1] = pods[i]; answer[#answer + 1] = pods[i + 1] end
end
return answer
`,
  { whenFull: 'runs' },
);
