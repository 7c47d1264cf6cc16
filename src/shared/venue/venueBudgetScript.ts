// The questions to the venue in the last minute, in Redis for all processes of the deployment. One script grants a
// question, counts it, and makes it the one that is under way.
import { Script } from '../redis/script.ts';

/** Weight that stays free for the market role beyond its past questions, whatever users ask: its next two questions. */
const MARKET_NEXT = 42;
/** Spent weight leaves a window up to this much late, ms. */
const LATE_MS = 1000;
/** A user has used little up to this share of the users' part, or with a first question. */
const LITTLE_PERCENT = 10;
/** This share of the users' part is for those who have used little. */
const HELD_PERCENT = 40;
/** Users who are known to wait; for how long there is room only for those before them; how late one may come back, ms. */
const WAITING_MAX = 200;
const NEXT_MS = 1000;
const WAITING_MS = 5000;

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

/** A Redis that has used up its memory ends no limit: what these write are a minute's sums and marks, and all of it expires. */
const WHEN_FULL = { whenFull: 'runs' } as const;

export const askScript = new Script(
  'askVenue',
  `
-- KEYS  windows: all users, market role, this user; the pause after the venue's 429; the question under way; users who wait.
-- ARGV  weight, weight a minute of the deployment, the market role's reserve, a user's percentage, life of the question ms,
--       the asker's mark, user ('': all share the answer).
-- Answers {verdict, ms}: granted; asked (another process asks just that: wait for its answer); pause (the venue has had
-- enough); share (the user has had much, and the rest is for others), crowded (all users' part is used up); ms until it may
-- be tried again.
-- What all share counts in the market role's window and waits for no user.
-- Atomic, because two nodes that read the same sums would both spend the last weight, or ask the same. Users have what the
-- reserve leaves, or less where the market role needs more than that. A user gets a percentage of it at most; the last of
-- it is for users who have used little. Who was refused waits: those who have used less go first, then those who came first.
${WINDOWS}
if redis.call('EXISTS', KEYS[5]) == 1 then return {'asked', 100} end
local pause = redis.call('PTTL', KEYS[4])
if pause > 0 then return {'pause', pause} end
local weight, limit, reserve, percent = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if ARGV[7] == '' then
  spend(KEYS[2], weight)
  redis.call('SET', KEYS[5], ARGV[6], 'PX', ARGV[5])
  return {'granted', 0}
end
local own, mine = sumOf(KEYS[3])
local most = math.floor((limit - reserve) * percent / 100)
if own + weight > most then return {'share', waitFor(mine, own + weight - most)} end
local users, all = sumOf(KEYS[1])
local market = sumOf(KEYS[2])
local part = math.max(0, limit - math.max(reserve, market + ${MARKET_NEXT}))
local kept = math.floor(part * ${HELD_PERCENT} / 100)
local hasLittle = own == 0 or own + weight <= math.floor(part * ${LITTLE_PERCENT} / 100)
local since, others = time[1] * 1000000 + time[2], {}
local fields = redis.call('HGETALL', KEYS[6])
for i = 1, #fields, 2 do
  local untilMs, came, used, wanted = string.match(fields[i + 1], '(%d+) (%d+) (%d+) (%d+)')
  if tonumber(untilMs) < now then
    redis.call('HDEL', KEYS[6], fields[i])
  elseif fields[i] == ARGV[7] then
    since = tonumber(came)
  else
    others[#others + 1] = {since = tonumber(came), used = tonumber(used), wanted = tonumber(wanted)}
  end
end
local before = 0
for _, one in ipairs(others) do
  if one.used < own or (one.used == own and one.since < since) then before = before + one.wanted end
end
local over = users + weight - part
if not hasLittle then over = over + kept end
if over + before > 0 then
  local wait = over > 0 and waitFor(all, over) or ${NEXT_MS}
  if #others < ${WAITING_MAX} then
    redis.call('HSET', KEYS[6], ARGV[7], string.format('%.0f %.0f %.0f %.0f', now + wait + ${WAITING_MS}, since, own, weight))
    redis.call('PEXPIRE', KEYS[6], ${60_000 + 2 * LATE_MS + WAITING_MS})
  end
  return {hasLittle and 'crowded' or 'share', wait}
end
redis.call('HDEL', KEYS[6], ARGV[7])
spend(KEYS[1], weight)
spend(KEYS[3], weight)
redis.call('SET', KEYS[5], ARGV[6], 'PX', ARGV[5])
return {'granted', 0}
`,
  WHEN_FULL,
);

export const answeredScript = new Script(
  'venueAnswered',
  `
-- KEYS  the question under way.
-- ARGV  the asker's mark.
-- Ends the question if this asker has it under way: it may have taken so long that another one asks it again.
-- Atomic, so that no other's mark is taken away.
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`,
  WHEN_FULL,
);

export const spendScript = new Script(
  'spendAtVenue',
  `
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
`,
  WHEN_FULL,
);

export const pauseScript = new Script(
  'pauseVenue',
  `
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
`,
  WHEN_FULL,
);
