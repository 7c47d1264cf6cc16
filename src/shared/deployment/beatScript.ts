// The script by which a process announces that it lives.
import { Script } from '../redis/script.ts';

/** First element of the script's answer. */
export type BeatAnswer = 'spoken' | 'other';

export const beatScript = new Script(
  'beat',
  `
-- Writes what a process says of itself under Redis's clock, forgets processes long silent. Two processes with one name are
-- told apart by the random part of what they say. A record that Redis has lost meanwhile is put back.
-- KEYS  record, processes, clock.
-- ARGV  process, its JSON, silence in ms after which a process is forgotten, number of shards, generation, random part of
--       this process, 1 = take the name whatever another process of that name says, how far it has set exchange time ahead, and
--       the market's, in ms; line of forms.
-- Answers {'spoken', generation of the record, Redis's time in ms, both offsets of the clock} | {'other', time at which another
--   process of this name spoke last, Redis's time in ms, both offsets}: nothing is written then.
-- Atomic because a process that is forgotten must not have spoken in between, and because only one may get a name.
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local offset = math.max(tonumber(redis.call('HGET', KEYS[3], 'offset') or '0'), tonumber(ARGV[8]))
local market = math.max(tonumber(redis.call('HGET', KEYS[3], 'market') or '0'), tonumber(ARGV[9]))
local processes = redis.call('HGETALL', KEYS[2])
for i = 1, #processes, 2 do
  local atMs = tonumber(string.match(processes[i + 1], '^(%d+)')) or 0
  if nowMs - atMs > tonumber(ARGV[3]) then redis.call('HDEL', KEYS[2], processes[i])
  elseif processes[i] == ARGV[1] and ARGV[7] ~= '1' and not string.find(processes[i + 1], ARGV[6], 1, true) then
    return {'other', atMs, nowMs, offset, market}
  end
end
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', nowMs) .. ' ' .. ARGV[2])
if redis.call('HSETNX', KEYS[1], 'shards', ARGV[4]) == 1 then
  redis.call('HSET', KEYS[1], 'formats', ARGV[5], 'forms', ARGV[10])
end
if market > 0 then
  redis.call('HSET', KEYS[3], 'offset', string.format('%.0f', offset), 'market', string.format('%.0f', market))
end
return {'spoken', tonumber(redis.call('HGET', KEYS[1], 'formats')), nowMs, offset, market}
`,
  { whenFull: 'runs' },
);
