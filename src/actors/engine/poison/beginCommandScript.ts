// The script by which an owner writes down that it begins a command which an earlier owner may have died of.
import { Script } from '../../../shared/redis/script.ts';

export const beginCommandScript = new Script(
  'beginCommand',
  `
-- Counts an owner against a possible poison command before that owner runs it. Once its commit is there the command is at no head.
-- KEYS  lease, poison commands.
-- ARGV  token, account id, '<stream id> <owners that have begun it>'.
-- Answers 1 counted, 0 the shard is not the caller's.
-- Atomic because only the owner may begin a command.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 1
`,
  { whenFull: 'runs' },
);
