// A draft as the commit script gets it, the answer of the script, and the script itself: the only way in which an account ever changes.
// One call takes the drafts of many shards. Each is a part of its own: applied whole or not at all, whatever becomes of the others.
import type { Format } from '../../../shared/domain/formats.ts';
import { MESSAGE_CHARS_MAX } from '../../../shared/redis/channels.ts';
import { REMEMBERED_LUA } from '../../../shared/redis/rememberedAnswers.ts';
import { REDIS_LIFE_LUA, Script } from '../../../shared/redis/script.ts';

/** What became of a part, and what belongs to it. */
export type CommitAnswer =
  | readonly [kind: 'applied' | 'already', ...accountsStillWaiting: string[]]
  | readonly [kind: 'gap' | 'fenced' | 'unleased']
  | readonly [kind: 'late', redisMs: string]
  | readonly [kind: 'error', message: string];

export interface Preparation {
  readonly shard: number;
  /** Generation of what is prepared. */
  readonly format: Format;
  /** Accounts of which no view is true from here on. */
  readonly changed: readonly string[];
}

/** A draft as the script gets it. */
export interface CommitPart {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** It is to be prepared first. */
  readonly preparation?: Preparation;
  /** Commands that it consumes, and characters of its entries and replies: what a call with it costs. */
  readonly commands: number;
  readonly chars: number;
}

/** Keys and arguments of the script. Drafts of several shards go in one call only where Redis has all their keys in one slot. */
export function commitCall(parts: readonly CommitPart[]): { keys: string[]; args: (string | number)[] } {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  for (const part of parts) {
    keys.push(...part.keys);
    args.push(part.keys.length, part.args.length, ...part.args);
  }
  return { keys, args };
}

/** Dead letters kept per shard, and the bytes of their commands; the newest one stays whatever its size. */
const DEAD_LETTERS_MAX = 500;
const DEAD_LETTERS_BYTES_MAX = 4_000_000;
/** Keys in one DEL: Lua can hand over no more than some thousands. */
const DELETED_AT_ONCE = 1000;

/**
 * What differs for a part that was prepared: whether it is new is said by what is prepared and not by the number of the head, which the
 * take of a later owner may have raised; and with the part, or its refusal, nothing is prepared any more. Where it was prepared in another
 * life of Redis it may have been answered there, and this Redis has lost that: then it is never too late.
 */
const DIRECT = {
  functions: '',
  isUntold: 'true',
  keys: 'lease, head, journal, pending set, bytes of mailboxes',
  fixedKeys: 5,
  again: `if number > stored + 1 then return {'gap'} end
  local again = number <= stored`,
  dropped: '',
  number: 'ARGV[a + 1]',
};
const PREPARED: typeof DIRECT = {
  functions: `${REDIS_LIFE_LUA}
local function isOfThisLife(prepared)
  local life = redisLife()
  return life ~= '' and redis.call('HGET', prepared, 'life') == life
end`,
  isUntold: 'isOfThisLife(KEYS[k + 5])',
  keys: 'lease, head, journal, pending set, bytes of mailboxes, the prepared commit',
  fixedKeys: 6,
  again: `local again = call('HGET', KEYS[k + 5], 'n') ~= ARGV[a + 1]
  if again and number > stored then return {'error', 'TRYAGAIN this Redis has not got what was prepared'} end`,
  dropped: "call('DEL', KEYS[k + 5])",
  number: "string.format('%.0f', math.max(number, stored))",
};

const textOf = (form: typeof DIRECT): string => `
-- Appends to journals, consumes commands, remembers answers and publishes replies: part by part, each all or nothing.
-- KEYS  per part: ${form.keys}; then the stream of each account with consumed
--       commands; then, if there are lists of what is seldom: live set, dead letters, quarantine, bytes of remembered answers,
--       versions; then the key of each remembered answer and of each reply that is too long for a message.
-- ARGV  per part: number of its keys, number of its arguments, and these:
--       1 token, 2 commit number, 3 epoch, 4 id counter, 5 tick position, 6 time in ms, 7 latest time in ms by Redis's
--       clock (0 = any), 8 journal entries as JSON ('' = none); then two lists, each led by its count:
--       consumed: account id, bytes of the commands, number of ids, the ids | replies: channel (without TAG), replies joined by
--       commas;
--       then, if there is any of it, what is seldom, in seven such lists:
--       live additions: account id | live removals: account id
--       | parked: account id, command, reason, time | quarantined: account id, reason | quarantine ended: account id
--       | remembered, and long replies: value, life in ms, account id ('' = not counted)
--       | versions: account id, its newest entry ('' = no view of it is true any more)
-- Answers one list per part: {'applied', account ids that still have commands waiting...}
--   | {'already', ...} this number was applied before
--   | {'gap'} numbers are missing | {'fenced'} another owner has the shard | {'unleased'} the lease ran out, no pod has it
--   | {'late', Redis's time in ms} the latest time has passed | {'error', what Redis says} it broke off.
-- A channel's replies of all applied parts go in one message, as long as it is not too long.
-- Atomic because a command must either be in its stream or its events in the journal, never both or neither, and because
-- token and number must hold for the very write they guard. Checks come before the first write: Redis does not roll back.
${REMEMBERED_LUA}${form.functions}
local call = redis.call
local calledMs
local emptied, said = {}, {}

local function timeMs()
  if not calledMs then
    local time = call('TIME')
    calledMs = time[1] * 1000 + time[2] / 1000
  end
  return calledMs
end

local function publish(channel)
  call(PUBLISH, TAG .. channel, '[' .. table.concat(said[channel], ',') .. ']')
  said[channel] = nil
end

local function say(channel, replies)
  local texts = said[channel]
  if texts and texts.chars + #replies > ${MESSAGE_CHARS_MAX} then
    publish(channel)
    texts = nil
  end
  if not texts then
    texts = {chars = 0}
    said[channel] = texts
  end
  texts[#texts + 1] = replies
  texts.chars = texts.chars + #replies
end

local function commitSeldom(k, a)
  local live, dead, quarantine, answerBytes, versions = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], KEYS[k + 4]
  k = k + 5
  local function count()
    a = a + 1
    return tonumber(ARGV[a - 1])
  end
  for _ = 1, count() do call('SADD', live, ARGV[a]); a = a + 1 end
  for _ = 1, count() do call('SREM', live, ARGV[a]); a = a + 1 end
  for _ = 1, count() do
    call('XADD', dead, '*', 'account', ARGV[a], 'command', ARGV[a + 1], 'reason', ARGV[a + 2], 't', ARGV[a + 3])
    a = a + 4
    local bytes = 0
    local letters = call('XREVRANGE', dead, '+', '-', 'COUNT', ${DEAD_LETTERS_MAX})
    for i = 1, #letters do
      bytes = bytes + #letters[i][2][4]
      if i > 1 and (i == ${DEAD_LETTERS_MAX} or bytes > ${DEAD_LETTERS_BYTES_MAX}) then
        call('XTRIM', dead, 'MINID', letters[i - 1][1])
        break
      end
    end
  end
  for _ = 1, count() do call('HSET', quarantine, ARGV[a], ARGV[a + 1]); a = a + 2 end
  for _ = 1, count() do call('HDEL', quarantine, ARGV[a]); a = a + 1 end
  for _ = 1, count() do
    call('SET', KEYS[k], ARGV[a], 'PX', ARGV[a + 1])
    if ARGV[a + 2] ~= '' then
      countRemembered(answerBytes, {place = KEYS[k], owner = ARGV[a + 2], bytes = #ARGV[a], lifeMs = tonumber(ARGV[a + 1])})
    end
    k = k + 1
    a = a + 3
  end
  for _ = 1, count() do
    if ARGV[a + 1] == '' then call('HDEL', versions, ARGV[a])
    else call('HSET', versions, ARGV[a], ARGV[a + 1]) end
    a = a + 2
  end
end

local function commit(k, a, last)
  local owner = call('GET', KEYS[k])
  if not owner then return {'unleased'} end
  if owner ~= ARGV[a] then return {'fenced'} end
  local number, stored = tonumber(ARGV[a + 1]), tonumber(call('HGET', KEYS[k + 1], 'n') or '0')
  ${form.again}
  if not again then
    local latest = tonumber(ARGV[a + 6])
    if latest > 0 and timeMs() > latest and ${form.isUntold} then
      ${form.dropped}
      return {'late', string.format('%.3f', timeMs())}
    end
    if ARGV[a + 7] ~= '' then
      call('XADD', KEYS[k + 2], ARGV[a + 1] .. '-0', 't', ARGV[a + 5], 'k', ARGV[a + 2], 'i', ARGV[a + 3], 'e', ARGV[a + 7])
    end
    call('HSET', KEYS[k + 1], 'n', ${form.number}, 'epoch', ARGV[a + 2], 'ids', ARGV[a + 3], 'tick', ARGV[a + 4], 'atMs', ARGV[a + 5])
    ${form.dropped}
  end
  local pending, waiting = KEYS[k + 3], KEYS[k + 4]
  local answer, served, taken = {again and 'already' or 'applied'}, {}, 0
  local consumed = tonumber(ARGV[a + 8])
  k, a = k + ${form.fixedKeys}, a + 9
  for _ = 1, consumed do
    local account, bytes, ids = ARGV[a], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
    a = a + 3
    if ids > 0 and not again then call('XDEL', KEYS[k], unpack(ARGV, a, a + ids - 1)) end
    a = a + ids
    if call('XLEN', KEYS[k]) > 0 then
      answer[#answer + 1] = account
      if not again and bytes > 0 then call('HINCRBY', waiting, account, -bytes) end
    elseif not again then
      served[#served + 1] = account
      emptied[#emptied + 1] = KEYS[k]
    end
    taken = taken + bytes
    k = k + 1
  end
  if again then return answer end
  if #served > 0 then call('SREM', pending, unpack(served)) end
  if consumed > 0 then
    if call('SCARD', pending) == 0 then call('DEL', waiting)
    else
      if #served > 0 then call('HDEL', waiting, unpack(served)) end
      if taken > 0 then call('HINCRBY', waiting, '_all', -taken) end
    end
  end
  local replies = a + 1
  a = replies + 2 * ARGV[a]
  if a <= last then commitSeldom(k, a) end
  for i = replies, a - 2, 2 do say(ARGV[i], ARGV[i + 1]) end
  return answer
end

local answers, k, a, last = {}, 1, 1, #ARGV
while a <= last do
  local keys, args = tonumber(ARGV[a]), tonumber(ARGV[a + 1])
  local isDone, answer = pcall(commit, k, a + 2, a + 1 + args)
  if not isDone then answer = {'error', type(answer) == 'table' and answer.err or tostring(answer)} end
  answers[#answers + 1] = answer
  k, a = k + keys, a + 2 + args
end
for i = 1, #emptied, ${DELETED_AT_ONCE} do call('DEL', unpack(emptied, i, math.min(i + ${DELETED_AT_ONCE - 1}, #emptied))) end
for channel in pairs(said) do publish(channel) end
return answers
`;

/**
 * Redis runs it also when it is full. New commands are refused there, so what is committed then was taken before, or comes from
 * the market: the journal's own bounds hold for it. An account with a decision that cannot be committed would give no snapshot, and
 * keep the journal that fills Redis from being cut.
 */
export const commitScript = new Script('commit', textOf(DIRECT), { whenFull: 'runs' });

/** The same for parts with a `preparation`: only what was prepared is committed. */
export const commitPreparedScript = new Script('commitPrepared', textOf(PREPARED), { whenFull: 'runs' });
