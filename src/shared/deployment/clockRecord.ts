// How far exchange time is ahead of real time, as all processes share it, and the advance that is under way (adr 0022). Each process
// learns it with its heartbeats, and puts it back when Redis has lost it. Who advances the clock goes from stop to stop: a stop is
// left only by one who has seen all that was due at it done, so two that advance at once do no harm.
import { DAY_MS } from '../domain/units.ts';
import { collections, durable, type MongoConnection, upserted } from '../mongo/mongo.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';
import type { ClockOffsets } from './exchangeClock.ts';

/** Exchange time is never further ahead than ten years, ms: all dates stay ones that stores and clients can write. */
const AHEAD_MS_MAX = 10 * 366 * DAY_MS;
/** Names of calls that are known, newest last: nodes may advance at once, and each call may be made again. */
const NAMES_KEPT = 16;

const beginScript = new Script(
  'beginAdvance',
  `
-- Adds to where exchange time has to go. A call that is made again is known by its name, or, without one, by an advance that is
-- the last, unfinished and as long.
-- KEYS  clock.
-- ARGV  ms, name or '', largest offset, how many names are kept.
-- Answers the offset to reach, or -1 when that is too far.
-- Atomic because of two calls with one name only one may add.
local clock = redis.call('HMGET', KEYS[1], 'offset', 'target', 'asked', 'name', 'done', 'names')
local offset, target = tonumber(clock[1] or '0'), tonumber(clock[2] or '0')
local names = {}
for name, reached in string.gmatch(clock[6] or '', '(%S+) (%S+)') do
  if name == ARGV[2] then return tonumber(reached) end
  names[#names + 1] = name .. ' ' .. reached
end
if ARGV[2] == '' and clock[4] == '' and clock[3] == ARGV[1] and target > tonumber(clock[5] or '0') then return target end
target = math.max(target, offset) + tonumber(ARGV[1])
if target > tonumber(ARGV[3]) then return -1 end
if ARGV[2] ~= '' then names[#names + 1] = ARGV[2] .. ' ' .. string.format('%.0f', target) end
if #names > tonumber(ARGV[4]) then table.remove(names, 1) end
redis.call('HSET', KEYS[1], 'target', string.format('%.0f', target), 'asked', ARGV[1], 'name', ARGV[2])
redis.call('HSET', KEYS[1], 'names', table.concat(names, ' '))
return target
`,
);

const endScript = new Script(
  'endAdvance',
  `
-- Notes that all that became due up to an offset is done.
-- KEYS  clock.
-- ARGV  offset.
-- Answers nothing.
-- Atomic because of two that advance at once the one that ends last may have gone less far.
if tonumber(redis.call('HGET', KEYS[1], 'done') or '0') < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'done', ARGV[1]) end
`,
);

const stepScript = new Script(
  'stepClock',
  `
-- Sets exchange time ahead from a stop to the next one: first the market's, then that of all.
-- KEYS  clock.
-- ARGV  offset of the stop, offset of the next one, 'market' | 'all', channel, its message.
-- Answers 1, or 0 when the clock has left the stop already.
-- Atomic because a stop that another has left may not be left again, to a time before the present one.
if tonumber(redis.call('HGET', KEYS[1], 'offset') or '0') ~= tonumber(ARGV[1]) then return 0 end
local market = tonumber(redis.call('HGET', KEYS[1], 'market') or '0')
if ARGV[3] == 'all' then redis.call('HSET', KEYS[1], 'offset', ARGV[2]) end
if tonumber(ARGV[2]) > market then redis.call('HSET', KEYS[1], 'market', ARGV[2]) end
redis.call(PUBLISH, ARGV[4], ARGV[5])
return 1
`,
);

/** @returns the offset to reach, ms, or undefined when that is more than AHEAD_MS_MAX @param name of the call, '' = none */
export async function beginAdvance(redis: Redis, ms: number, name: string): Promise<number | undefined> {
  const target = (await beginScript.run(redis, [deploymentKeys.clock], [ms, name, AHEAD_MS_MAX, NAMES_KEPT])) as number;
  return target === -1 ? undefined : target;
}

/** All that became due up to an offset is done: a call as long as the last one is another one from now on. */
export async function endAdvance(redis: Redis, targetMs: number): Promise<void> {
  await endScript.run(redis, [deploymentKeys.clock], [targetMs]);
}

/** @returns false when the clock has left the stop already */
export async function stepClock(
  redis: Redis,
  step: { readonly fromMs: number; readonly toMs: number; readonly who: 'market' | 'all' },
): Promise<boolean> {
  const { fromMs, toMs, who } = step;
  const offsets: ClockOffsets = { offsetMs: who === 'all' ? toMs : fromMs, marketMs: toMs };
  const args = [fromMs, toMs, who, deploymentKeys.clockChanged, JSON.stringify({ offsets })];
  return (await stepScript.run(redis, [deploymentKeys.clock], args)) === 1;
}

/** Which full hour's work was last done at a stop, counted from the epoch; 0 where that is not known. */
export async function readHoursDone(redis: Redis): Promise<number> {
  return Number((await redis.hget(deploymentKeys.clock, 'hours')) ?? 0);
}

/** Notes that an hour's work is done: the stop may be left, by any node. */
export async function noteHoursDone(redis: Redis, hours: number): Promise<void> {
  await redis.hset(deploymentKeys.clock, 'hours', hours);
}

/** Gives Redis the offset again that it has lost while no process was alive; one that it has stays. */
export async function restoreClock(redis: Redis, offsetMs: number): Promise<void> {
  if (offsetMs === 0) return;
  for (const field of ['offset', 'market']) await redis.hsetnx(deploymentKeys.clock, field, offsetMs);
}

export async function readClock(redis: Redis): Promise<ClockOffsets> {
  const [offset, market] = await redis.hmget(deploymentKeys.clock, 'offset', 'market');
  return { offsetMs: Number(offset ?? 0), marketMs: Number(market ?? 0) };
}

// The copy in MongoDB (adr 0022): Redis may be lost while no process is alive that knows it. What is
// kept is never ahead of what Redis had: it is written at a stop, when all that was due up to it has been done.

interface ClockDocument {
  readonly _id: 'clock';
  readonly schema: 1;
  readonly offsetMs: number;
}

const CLOCK_ID = 'clock';

/** Notes an offset; one that is behind the noted one changes nothing. */
export async function keepClock(mongo: MongoConnection, offsetMs: number): Promise<void> {
  const update = { $setOnInsert: { schema: 1 } as const, $max: { offsetMs } };
  await upserted(() => documentsOf(mongo).updateOne({ _id: CLOCK_ID }, update, { upsert: true }));
}

/** @returns the offset, ms; 0 where time was never set ahead */
export async function readKeptClock(mongo: MongoConnection): Promise<number> {
  return (await documentsOf(mongo).findOne({ _id: CLOCK_ID }))?.offsetMs ?? 0;
}

const documentsOf = (mongo: MongoConnection) => mongo.db.collection<ClockDocument>(collections.settings, durable);
