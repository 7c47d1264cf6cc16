// The script by which an owner takes an operator's wish.
import { Script } from '../../../shared/redis/script.ts';

export const takeWishScript = new Script(
  'takeWish',
  `
-- Takes a wish out before it is carried out.
-- KEYS  lease, wishes.
-- ARGV  token, account id.
-- Answers 1 taken, 0 the shard is not the caller's, or the operator has taken the wish back.
-- Atomic because a former owner must not take a wish that it will not carry out.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[2], ARGV[2])
`,
  { whenFull: 'runs' },
);
