// The sliding window of many subjects in one script call. A window is a hash of counts by sub-window, so it costs the
// same for 200 requests a minute as for a load test's millions. Redis's clock serves every API node alike.

import { Script } from '../../shared/redis/script.ts';

export const rateLimitScript = new Script(`
-- KEYS  one window hash per subject: used in the window, first bucket that may hold something, a bucket number -> count.
-- ARGV  window ms, bucket ms, then per subject: requests that came, requests allowed in a window, requests wanted in
--       advance.
-- Answers the ms left of this bucket, then four integers per subject: requests granted of those that came, granted in
-- advance, requests in the window now with both, ms until the oldest of them leaves it.
-- Atomic, because two nodes that read the same count would both grant the last request. A bucket leaves when all of it
-- is older than the window, so no span of the window's length ever holds more than is allowed. Refused requests do not
-- count. A clock that jumps back starts the window anew. Most requests find nothing to leave and cost two commands. In the
-- second half of a limit nothing is granted in advance, so that the last requests are counted one by one.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local width = tonumber(ARGV[2])
local kept = math.ceil(ARGV[1] / width)
local bucket = math.floor(now / width)
local answers = {(bucket + 1) * width - now}
for i, key in ipairs(KEYS) do
  local came, cap, wanted = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local state = redis.call('HMGET', key, 'used', 'first', bucket)
  local used, first, here = tonumber(state[1] or 0), tonumber(state[2] or bucket), tonumber(state[3] or 0)
  if first > bucket then
    redis.call('DEL', key)
    used, first, here = 0, bucket, 0
  end
  local hasLeft = first < bucket - kept
  if hasLeft then
    while first < bucket do
      local count = redis.call('HGET', key, first)
      if count then
        if first >= bucket - kept then break end
        redis.call('HDEL', key, first)
        used = used - count
      end
      first = first + 1
    end
  end
  local granted = math.max(0, math.min(came, cap - used))
  local advance = 0
  if used + granted + wanted <= cap / 2 then advance = wanted end
  if granted > 0 then
    used = used + granted + advance
    redis.call('HSET', key, 'used', used, 'first', first, bucket, here + granted + advance)
    if here == 0 then redis.call('PEXPIRE', key, (kept + 1) * width) end
  elseif hasLeft then
    redis.call('HSET', key, 'used', used, 'first', first)
  end
  answers[4 * i - 2] = granted
  answers[4 * i - 1] = advance
  answers[4 * i] = used
  answers[4 * i + 1] = (first + kept + 1) * width - now
end
return answers
`);
