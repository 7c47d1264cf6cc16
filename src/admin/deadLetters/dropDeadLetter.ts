// `bin/admin dead-letters drop`: removes a parked command. Nothing of it was done, and nothing will be.
import { shardKeys } from '../../shared/redis/keys.ts';
import { Refused } from '../adminCommand.ts';
import { auditLetter, deadLetterCommand, typeOf } from './deadLetterCommand.ts';

export const dropDeadLetter = deadLetterCommand({
  name: 'dead-letters drop',
  does: 'removes a parked command for good; says first which, and does it with --yes',
  field: 'dropped',
  meaning: (letter) => [
    `${typeOf(letter)} of ${letter.accountId} is removed. Nothing of it was done; its sender was told so (500).`,
  ],
  async act(letter, parts) {
    const { name, shard, id } = letter;
    if ((await parts.redis.xdel(shardKeys.dead(shard), id)) === 0)
      throw new Refused(`There is no dead letter ${name} (any more).`);
    return { isDone: true, lines: ['Done.', ...(await auditLetter(parts, letter, 'command.dropped'))] };
  },
});
