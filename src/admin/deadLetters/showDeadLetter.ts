// `bin/admin dead-letters show`: shows one parked command whole.

import { requireDeadLetter } from '../../operators/deadLetters/deadLetters.ts';
import { type AdminCommand, columns } from '../adminCommand.ts';

export const showDeadLetter: AdminCommand = {
  name: 'dead-letters show',
  takes: '<shard>:<id>',
  does: 'shows a parked command whole, with its reason',
  async run([name], parts) {
    const { accountId, reason, parkedMs, text, envelope } = await requireDeadLetter(parts, name);
    const parkedAt = new Date(parkedMs).toISOString();
    return {
      data: { id: name, account: accountId, parked_at: parkedAt, reason, command: envelope ?? text },
      lines: [
        ...columns([
          ['id', name ?? ''],
          ['account', accountId],
          ['parked', parkedAt],
          ['reason', reason],
        ]),
        envelope === undefined ? text : JSON.stringify(envelope, null, 2),
      ],
    };
  },
};
