// The one script by which a leader writes: state, tick stream, numbered message and channel change together or not at all.
import { Script } from '../shared/redis/script.ts';

// KEYS  lease, state, sequence, ticks
// ARGV  token, leader, seq, channel, oldest tick id to keep, life of the lease in ms,
//       number of fields, then field and JSON of each,
//       number of trades changes, then JSON of each (objects without `tick`),
//       JSON of the other changes, joined by commas; what ends the message's text (`messageEnd`)
// Gives 'applied' (also for a number that was applied before: a resent call), 'lost' when the lease is another's, or
//       'behind' when the stored number is not the one before: Redis forgot something, and the leader must write all.
// A leader's message 1 replaces the state whole. A lease that ran out without another taking it is taken again, if no other
// leader has written since. Everything is checked before the first write.
// It runs when Redis has used up its memory too: what it writes has a bound, and without prices no order could be taken.
export const publishScript = new Script(
  'publishMarket',
  `
local lease, state, sequence, ticks = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local leader, seq = ARGV[2], tonumber(ARGV[3])
local holder = redis.call('GET', lease)
local head = redis.call('HMGET', sequence, 'leader', 'seq')
if holder ~= ARGV[1] and (holder or head[1] ~= leader) then return 'lost' end
if head[1] == leader then
  if seq <= tonumber(head[2]) then return 'applied' end
  if seq ~= tonumber(head[2]) + 1 then return 'behind' end
elseif seq ~= 1 then return 'behind' end

if not holder then redis.call('SET', lease, ARGV[1], 'PX', ARGV[6]) end
if seq == 1 then redis.call('DEL', state) end
local at = 7
local last = at + tonumber(ARGV[at]) * 2
while at < last do
  redis.call('HSET', state, ARGV[at + 1], ARGV[at + 2])
  at = at + 2
end
at = at + 1
local parts, tick = {}, nil
last = at + tonumber(ARGV[at])
while at < last do
  at = at + 1
  tick = redis.call('XADD', ticks, 'MINID', '~', ARGV[5], '*', 'd', ARGV[at])
  parts[#parts + 1] = string.sub(ARGV[at], 1, -2) .. ',"tick":"' .. tick .. '"}'
end
local others = ARGV[at + 1]
if others ~= '' then parts[#parts + 1] = others end
redis.call('HSET', sequence, 'leader', leader, 'seq', seq)
if tick then redis.call('HSET', sequence, 'tick', tick) end
redis.call(PUBLISH, ARGV[4], '{"leader":"' .. leader .. '","seq":' .. seq .. ',"changes":[' .. table.concat(parts, ',') .. ']' .. ARGV[at + 2])
return 'applied'
`,
  { whenFull: 'runs' },
);
