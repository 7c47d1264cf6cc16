// What was asked of the venue in the last minute, in Redis for all processes of the deployment. One script grants a
// question, counts it, and makes it the one that is under way.
import { Script } from '../redis/script.ts';

/** What the market role may spend beyond what it has spent, whatever users ask: its next two questions. */
const MARKET_NEXT = 42;
/** Spent weight leaves a window up to this much late, ms. */
const LATE_MS = 1000;

// A window is a hash second -> weight. `sumOf` drops what is older than a minute. `waitFor` tells in how many ms so much
// weight has left a window. Redis's clock serves every process alike.
const WINDOWS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local second = math.floor(now / 1000)
local function sumOf(key)
  local sum, entries, old = 0, {}, {}
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local at, weight = tonumber(fields[i]), tonumber(fields[i + 1])
    if at < second - 60 or at > second then
      old[#old + 1] = fields[i]
    else
      sum = sum + weight
      entries[#entries + 1] = {at, weight}
    end
  end
  if #old > 0 then redis.call('HDEL', key, unpack(old)) end
  return sum, entries
end
local function spend(key, weight)
  redis.call('HINCRBY', key, second, weight)
  redis.call('PEXPIRE', key, ${60_000 + 2 * LATE_MS})
end
local function waitFor(entries, weight)
  table.sort(entries, function(a, b) return a[1] < b[1] end)
  for _, entry in ipairs(entries) do
    weight = weight - entry[2]
    if weight <= 0 then return math.max(1, (entry[1] + 61) * 1000 - now) end
  end
  return 60000
end
`;

export const askScript = new Script(`
-- KEYS  windows: all users, market role, this user; the pause after the venue's 429; the question under way.
-- ARGV  weight, weight a minute of the deployment, the market role's reserve, a user's percentage, life of the question ms.
-- Answers {verdict, ms}: granted; asked (another process asks just that: wait for its answer); pause (the venue has had
-- enough); share (the user's part is used up), crowded (that of all users is); ms until it may be tried again.
-- Atomic, because two nodes that read the same sums would both spend the last weight, or ask the same. Users have what the
-- reserve leaves, or less where the market role needs more than that. A user gets a percentage of what others have left
-- of that: however many use up their parts, some is left for the next.
${WINDOWS}
if redis.call('EXISTS', KEYS[5]) == 1 then return {'asked', 100} end
local pause = redis.call('PTTL', KEYS[4])
if pause > 0 then return {'pause', pause} end
local weight, limit, reserve, percent = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local users, all = sumOf(KEYS[1])
local market = sumOf(KEYS[2])
local own, mine = sumOf(KEYS[3])
local part = math.max(0, limit - math.max(reserve, market + ${MARKET_NEXT}))
local share = math.floor((part - (users - own)) * percent / 100)
if own + weight > math.floor((limit - reserve) * percent / 100) then
  return {'share', waitFor(mine, own + weight - share)}
end
if users + weight > part or own + weight > share then
  return {'crowded', waitFor(all, math.max(weight, users + weight - part))}
end
spend(KEYS[1], weight)
spend(KEYS[3], weight)
redis.call('SET', KEYS[5], '1', 'PX', ARGV[5])
return {'granted', 0}
`);

export const spendScript = new Script(`
-- KEYS  windows: all users, market role; the pause after the venue's 429.
-- ARGV  weight, weight a minute of the deployment, '1' when the question may wait, ms of a pause that holds the market role.
-- Answers the ms to wait, or 0 and counts the question. Only one that may wait is held back by what was spent.
-- Atomic for the sake of the sums.
${WINDOWS}
local weight = tonumber(ARGV[1])
local pause = redis.call('GET', KEYS[3])
if pause then
  local held = tonumber(pause) + tonumber(ARGV[4]) - now
  if held > 0 then return held end
end
if ARGV[3] == '1' then
  local users, all = sumOf(KEYS[1])
  local market, ours = sumOf(KEYS[2])
  local over = users + market + weight - tonumber(ARGV[2])
  if over > 0 then
    for _, entry in ipairs(ours) do all[#all + 1] = entry end
    return math.min(5000, waitFor(all, over))
  end
end
spend(KEYS[2], weight)
return 0
`);

export const pauseScript = new Script(`
-- KEYS  the pause, how many there were lately.
-- ARGV  shortest pause ms, longest pause ms.
-- Begins a pause twice as long as the last; the nodes whose questions were refused together begin one together.
-- Answers its ms. Atomic, so that they do not count as many.
local left = redis.call('PTTL', KEYS[1])
if left > 0 then return left end
local time = redis.call('TIME')
local count = redis.call('INCR', KEYS[2])
local ms = math.min(tonumber(ARGV[2]), tonumber(ARGV[1]) * 2 ^ math.min(count - 1, 10))
redis.call('PEXPIRE', KEYS[2], ms + 60000)
redis.call('SET', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), 'PX', ms)
return ms
`);
