// How requests are counted: one hash for the two windows of a subject, of its requests and of their
// weights. Redis's clock serves every API node alike.
import { subjectWindowsKey } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import { type Charge, placeOf } from './charge.ts';
import { type InAdvance, NOTHING } from './prefetchedQuota.ts';

/**
 * Counts by a clock.
 * @param time of it in Lua: seconds and the microseconds beyond
 */
export function countingBy(time: string): CountWindows {
  const script = new Script('subjectWindows', textOf(time));
  return async (redis, { windowMs, bucketMs, holdMs, aheadMs = 0 }, asked) => {
    const keys: string[] = [];
    const numbers = new Map<string, number>();
    const args: number[] = [windowMs, bucketMs, holdMs, 0, aheadMs];
    const returns: number[] = [];
    for (const { charges, requests, isForced, inAdvance } of asked) {
      const keysOf = redis.isCluster ? keysAtPlaces(charges) : keysOfCharges(charges);
      args.push(requests, isForced ? 1 : 0, charges.length);
      for (let i = 0; i < charges.length; i++) {
        const { weightOf, cap, cost } = charges[i] as Charge;
        const { wanted, returned } = inAdvance[i] ?? NOTHING;
        const key = keysOf[i] as string;
        let number = numbers.get(key);
        if (number === undefined) {
          number = keys.push(key) - 1;
          numbers.set(key, number);
        }
        const place = 2 * number + (weightOf === undefined ? 0 : 1);
        if (returned !== undefined) returns.push(place, returned.bucket, returned.units);
        args.push(place, cap, cost, wanted);
      }
    }
    args[3] = returns.length / 3;
    if (returns.length > 0) args.push(...returns);
    const answers = (await script.run(redis, keys, args)) as number[];
    const [bucket = 0] = answers;
    let at = 1;
    return asked.map(({ charges }): Told => {
      const granted = answers[at++] ?? 0;
      const windows = charges.map(() => ({
        used: answers[at++] ?? 0,
        leavesInMs: answers[at++] ?? 0,
        advance: answers[at++] ?? 0,
      }));
      return { granted, windows, bucket };
    });
  };
}

/** Charges come again with each request of their caller. */
const known = new WeakMap<readonly Charge[], readonly string[]>();

function keysOfCharges(charges: readonly Charge[]): readonly string[] {
  let keys = known.get(charges);
  if (keys === undefined) {
    keys = charges.map(({ subject, weightOf }) => subjectWindowsKey(weightOf ?? subject));
    known.set(charges, keys);
  }
  return keys;
}

const keysAtPlaces = (charges: readonly Charge[]): readonly string[] =>
  charges.map((charge) => subjectWindowsKey(charge.weightOf ?? charge.subject, placeOf(charge)));

const textOf = (time: string): string => `
-- KEYS  hash of each subject: in \`head\` its state, in the field of a number the entry of a closed sub-window; numbers come
--       again when what stood there has left the windows (ring).
-- ARGV  window ms, sub-window ms, hold ms, number of returns, ms by which exchange time is ahead; then per group of like requests: how many, 1 to count them
--       whatever the limit, how many windows, and per window: its place, what may be used in it, what one request costs,
--       what is wanted in advance; then per return: place of the window, number of the sub-window, units. A place is twice
--       the number of the key from 0, and one more for weights.
-- Answers the number of this sub-window, then per group the requests granted, and per window three integers: used now, with
-- what is granted in advance; ms until the oldest of it leaves, or, where it refused a request, until there is room for one;
-- what is granted in advance.
-- Atomic, because two nodes that read the same count would both grant the last request, and because a request counts in all
-- its windows or in none. A sub-window leaves as a whole when a window has passed since its newest unit was counted, or since
-- the end of the hold time in which an advance that is counted in it may be used: so no span of the window's length ever
-- holds more than is allowed. Refused requests do not count. In the second half of a limit nothing is granted in advance, so
-- that the last requests are counted one by one. Units that come back were never used; they are taken off where they were
-- counted. A clock that jumps back a little goes on in the newest sub-window; after a longer jump the windows begin anew.
-- head: used (requests, weights), number of the newest sub-window, latest use in it, its counts, number of the oldest, when
-- that one leaves, what it holds (1 requests, 2 weights, 3 both), when the hash expires. entry: number, latest use, counts,
-- number of the next.
local HEAD, ENTRY = '>I6I6I6I6I5I5I6I6I1I6', '>I6I6I5I5I6'
local call, pack, unpack, floor, min, max = redis.call, struct.pack, struct.unpack, math.floor, math.min, math.max
local time = ${time}
local now = time[1] * 1000 + floor(time[2] / 1000) + tonumber(ARGV[5])
local keys, args = KEYS, ARGV
for i = 1, #args do args[i] = tonumber(args[i]) end
local window, width, hold = args[1], args[2], args[3]
local ring = math.ceil((window + hold) / width) + 3
local bucket = floor(now / width)
local answers = {bucket}

local function holds(requests, weights) return (requests > 0 and 1 or 0) + (weights > 0 and 2 or 0) end

local function read(o, number)
  if number == o.closed then return unpack(ENTRY, o.entry) end
  return unpack(ENTRY, call('HGET', o.key, number % ring))
end

local function open(key)
  local head = call('HGET', key, 'head')
  local used, used2, last, at, here, here2, first, leaves, oldest, expires = 0, 0, bucket, now, 0, 0, bucket, 0, 0, 0
  if head then used, used2, last, at, here, here2, first, leaves, oldest, expires = unpack(HEAD, head) end
  if last * width - now > 2 * hold + width or at + width + hold + window <= now then
    call('DEL', key)
    used, used2, last, at, here, here2, first, leaves, oldest, expires = 0, 0, bucket, now, 0, 0, bucket, 0, 0, 0
  end
  local o = {used, used2, here, here2, key = key, bucket = last, at = at, first = first, leaves = leaves, oldest = oldest, expires = expires}
  if last >= bucket then return o end
  o[3], o[4], o.bucket, o.at, o.closed, o.entry = 0, 0, bucket, now, last, pack(ENTRY, last, at, here, here2, bucket)
  if first == last then o.leaves, o.oldest = at + window, holds(here, here2) end
  while first < bucket and o.leaves <= now do
    local _, _, requests, weights, following = read(o, first)
    o[1], o[2], o.first = o[1] - requests, o[2] - weights, following
    first = following
    if first < bucket then
      local _, latest, requests, weights = read(o, first)
      o.leaves, o.oldest = latest + window, holds(requests, weights)
    end
  end
  return o
end

local function save(o)
  local expires = o.expires
  if expires - now < window + 2 * hold + width then expires = now + 2 * (window + 2 * hold + width) end
  local head = pack(HEAD, o[1], o[2], o.bucket, o.at, o[3], o[4], o.first, o.leaves, o.oldest, expires)
  if o.closed then call('HSET', o.key, 'head', head, o.closed % ring, o.entry)
  else call('HSET', o.key, 'head', head) end
  if expires ~= o.expires then call('PEXPIRE', o.key, expires - now) end
end

local function takeBack(o, measure, from, units)
  if from == o.bucket then
    if o[2 + measure] < units then return end
    o[2 + measure] = o[2 + measure] - units
  elseif from >= o.first and from < o.bucket then
    local entry = from == o.closed and o.entry or call('HGET', o.key, from % ring)
    if not entry then return end
    local number, at, requests, weights, following = unpack(ENTRY, entry)
    if number ~= from or (measure == 1 and requests or weights) < units then return end
    if measure == 1 then requests = requests - units else weights = weights - units end
    entry = pack(ENTRY, from, at, requests, weights, following)
    if from == o.closed then o.entry = entry else call('HSET', o.key, from % ring, entry) end
  else return end
  o[measure] = o[measure] - units
  o.isChanged = true
end

local function whenLeft(o, measure, needed)
  local number, gone, leaves = o.first, 0, 0
  while number < o.bucket do
    local _, at, requests, weights, following = read(o, number)
    leaves = max(leaves, at)
    gone = gone + (measure == 1 and requests or weights)
    if gone >= needed then return leaves + window - now end
    number = following
  end
  return max(leaves, o.at, now) + window - now
end

local function oldestLeaves(o, measure)
  if o.first == o.bucket then return o.at + window - now end
  if o.oldest == 3 or o.oldest == measure then return o.leaves - now end
  return whenLeft(o, measure, 1)
end

local opened = {}
for i = 1, #keys do opened[i] = open(keys[i]) end

local groupsEnd = #args - 3 * args[4]
for i = groupsEnd + 1, #args, 3 do
  takeBack(opened[floor(args[i] / 2) + 1], args[i] % 2 + 1, args[i + 1], args[i + 2])
end

local a = 6
while a <= groupsEnd do
  local requests, granted, isForced, last = args[a], args[a], args[a + 1] == 1, a + 4 * args[a + 2]
  a = a + 3
  for i = a, last, 4 do
    local used = opened[floor(args[i] / 2) + 1][args[i] % 2 + 1]
    if not isForced then granted = min(granted, floor((args[i + 1] - used) / args[i + 2])) end
  end
  granted = max(0, granted)
  answers[#answers + 1] = granted
  for i = a, last, 4 do
    local o, measure, cap, cost, advance = opened[floor(args[i] / 2) + 1], args[i] % 2 + 1, args[i + 1], args[i + 2], 0
    local used = o[measure]
    if granted > 0 then
      local units, wanted = granted * cost, args[i + 3]
      if wanted > 0 and granted == requests and o.bucket == bucket and used + units + wanted <= cap / 2 then advance = wanted end
      used = used + units + advance
      o[measure], o[2 + measure] = used, o[2 + measure] + units + advance
      o.at = max(o.at, advance > 0 and now + hold or now)
      o.isChanged = true
    end
    local isFull = granted < requests and used + cost > cap
    local n = #answers
    answers[n + 1] = used
    answers[n + 2] = isFull and whenLeft(o, measure, used + cost - cap) or oldestLeaves(o, measure)
    answers[n + 3] = advance
  end
  a = last + 3
end

for i = 1, #opened do
  if opened[i].isChanged then save(opened[i]) end
end
return answers
`;

export const countInSubjectWindows: CountWindows = countingBy("redis.call('TIME')");

/** Like requests of one turn of the event loop. */
export interface ChargedRequests {
  readonly charges: readonly Charge[];
  readonly requests: number;
  /** They count whatever the limit. */
  readonly isForced: boolean;
  /** For each charge. */
  readonly inAdvance: readonly InAdvance[];
}

/** How requests are counted in Redis: what one call asks and is told. */
export interface Told {
  /** Requests that were granted. */
  readonly granted: number;
  /** Of each charge. */
  readonly windows: readonly {
    /** With what is granted in advance. */
    readonly used: number;
    /** Until the oldest of it leaves, ms; where it refused a request, until there is room for one. */
    readonly leavesInMs: number;
    readonly advance: number;
  }[];
  /** Number of the sub-window in which the advances count. */
  readonly bucket: number;
}

export interface WindowSizes {
  readonly windowMs: number;
  /** Width of a sub-window, ms. */
  readonly bucketMs: number;
  /** How long units may be used that were granted in advance, ms. */
  readonly holdMs: number;
  /** How far exchange time is ahead of Redis's, ms; absent = not at all. */
  readonly aheadMs?: number;
}

/** Counts in one script call. @throws ReplyError, or the connection's error when the outcome is unknown */
type CountWindows = (redis: Redis, sizes: WindowSizes, asked: readonly ChargedRequests[]) => Promise<readonly Told[]>;
