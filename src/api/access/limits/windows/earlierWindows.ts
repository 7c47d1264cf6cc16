// How requests are counted below generation 3: a hash for each window, with a quarter of a second in each of its parts, and
// nothing in advance. Builds before the newer form count so.
import { requestWindowKey } from '../../../../shared/redis/keys.ts';
import { Script } from '../../../../shared/redis/script.ts';
import type { CountWindows, Told } from './windowForm.ts';

/** Width of a sub-window by length of the window, ms: all builds that count so have to agree. */
const HOUR_MS = 3_600_000;
const bucketOf = (windowMs: number): number => (windowMs === HOUR_MS ? 15_000 : 250);

export const countInEarlierWindows: CountWindows = async (redis, { windowMs }, asked) => {
  const keys: string[] = [];
  const args: number[] = [windowMs, bucketOf(windowMs)];
  for (const { charges, requests, isForced } of asked) {
    args.push(charges.length, requests, isForced ? 1 : 0);
    for (const { subject, cap, cost } of charges) {
      keys.push(requestWindowKey(subject));
      args.push(cap, cost);
    }
  }
  const answers = (await script.run(redis, keys, args)) as number[];
  let at = 0;
  return asked.map(({ charges }): Told => {
    const granted = answers[at++] ?? 0;
    const windows = charges.map(() => ({ used: answers[at++] ?? 0, leavesInMs: answers[at++] ?? 0, advance: 0 }));
    return { granted, windows, bucket: 0 };
  });
};

const script = new Script(
  'earlierWindows',
  `
-- KEYS  window hashes: used in the window, first bucket that may hold something, the bucket that counts now and its count, a
--       number of an earlier bucket -> count. The windows of one group of like requests stand together; a window may stand in
--       several groups.
-- ARGV  window ms, bucket ms, then per group: its windows, its requests, 1 to count them whatever the limit, and per window:
--       what may be used in it, what one request costs.
-- Answers per group the requests granted, and per window two integers: used now; ms until the oldest of it leaves, or, where
-- it refused a request, until there is room for one.
-- Atomic, because two nodes that read the same count would both grant the last request, and because a request counts in all
-- its windows or in none. A bucket leaves when all of it is older than the window, so no span of the window's length ever
-- holds more than is allowed. Refused requests do not count. A clock that jumps back starts the window anew. Most requests
-- find nothing to leave and cost two commands a window, of the hash's first fields: Redis looks through a small hash from its
-- beginning, and the newest of 240 buckets would be its end. Still older builds count in the bucket's own field at once.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local width = tonumber(ARGV[2])
local kept = math.ceil(ARGV[1] / width)
local bucket = math.floor(now / width)
local answers = {}

local function open(key)
  local state = redis.call('HMGET', key, 'used', 'first', 'last', 'here')
  local used, first = tonumber(state[1] or 0), tonumber(state[2] or bucket)
  local last, here = tonumber(state[3] or bucket), tonumber(state[4] or 0)
  if first > bucket or last > bucket then
    redis.call('DEL', key)
    used, first, last, here = 0, bucket, bucket, 0
  end
  local isChanged = first < bucket - kept
  if last < bucket then
    if here > 0 then redis.call('HINCRBY', key, last, here) end
    here, isChanged = 0, true
  end
  if first < bucket - kept then
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
  return { key = key, used = used, first = first, here = here, isChanged = isChanged }
end

local function save(window)
  redis.call('HSET', window.key, 'used', window.used, 'first', window.first, 'last', bucket, 'here', window.here)
end

local function whenLeft(window, needed)
  local last = window.first
  local gone = tonumber(redis.call('HGET', window.key, last) or 0)
  while gone < needed and last < bucket do
    last = last + 1
    gone = gone + tonumber(redis.call('HGET', window.key, last) or 0)
  end
  return (last + kept + 1) * width - now
end

local k, a = 0, 3
while a <= #ARGV do
  local count, requests, forced = tonumber(ARGV[a]), tonumber(ARGV[a + 1]), ARGV[a + 2] == '1'
  a = a + 3
  local windows, granted = {}, requests
  for i = 1, count do
    local window = open(KEYS[k + i])
    window.cap, window.cost = tonumber(ARGV[a]), tonumber(ARGV[a + 1])
    a = a + 2
    windows[i] = window
    if not forced then granted = math.min(granted, math.floor((window.cap - window.used) / window.cost)) end
  end
  granted = math.max(0, granted)
  k = k + count
  answers[#answers + 1] = granted
  for _, window in ipairs(windows) do
    if granted > 0 then
      local cost, isFirst = granted * window.cost, window.here == 0
      window.used = window.used + cost
      window.here = window.here + cost
      save(window)
      if isFirst then redis.call('PEXPIRE', window.key, (kept + 1) * width) end
    elseif window.isChanged then
      save(window)
    end
    answers[#answers + 1] = window.used
    if granted < requests and window.used + window.cost > window.cap then
      answers[#answers + 1] = whenLeft(window, window.used + window.cost - window.cap)
    else
      answers[#answers + 1] = (window.first + kept + 1) * width - now
    end
  end
end
return answers
`,
);
