// `bin/admin dead-letters list`: shows the parked commands, newest first.

import { readDeadLetters, toLetterRow } from '../../operators/deadLetters/deadLetters.ts';
import type { AdminCommand } from '../adminCommand.ts';

/** Of each shard. */
const SHOWN_MAX = 100;

export const listDeadLetters: AdminCommand = {
  name: 'dead-letters list',
  takes: '',
  does: `shows the commands that were parked: the newest ${SHOWN_MAX} of each shard`,
  async run(_args, parts) {
    const letters = await readDeadLetters(parts, SHOWN_MAX);
    const data = letters.map(toLetterRow);
    const lines = data.map(({ id, account, parked_at, reason, command, bytes }) =>
      [id, parked_at, account, command ?? '(unreadable)', `${bytes} bytes`, reason.slice(0, 100)].join('  '),
    );
    return { data: { dead_letters: data }, lines: lines.length === 0 ? ['There are no dead letters.'] : lines };
  },
};
