// The script by which an owner gives a shard back.
import { Script } from '../../../shared/redis/script.ts';

export const releaseScript = new Script(
  'releaseShard',
  `
-- Gives a shard back in order: what waits at the heads of its mailboxes is under no suspicion.
-- KEYS  lease, head, poison commands.
-- ARGV  token, 1 when Redis has lost something: the next owner asks MongoDB.
-- Answers 1 released, 0 it was not the caller's.
-- Atomic because a lease may be deleted by its owner only.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[3])
redis.call('HSET', KEYS[2], 'clean', '1')
if ARGV[2] == '1' then redis.call('HDEL', KEYS[2], 'kept') end
return 1
`,
  { whenFull: 'runs' },
);
