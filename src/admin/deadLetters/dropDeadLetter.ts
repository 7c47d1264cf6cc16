// `bin/admin dead-letters drop`: removes a parked command. Nothing of it was done, and nothing will be.
import { SHARD_MAILBOX, shardKeys } from '../../shared/redis/keys.ts';
import { auditOperator } from '../accounts/auditOperator.ts';
import { type AdminCommand, Refused, type Report } from '../adminCommand.ts';
import { requireDeadLetter } from './deadLetters.ts';

export const dropDeadLetter: AdminCommand = {
  name: 'dead-letters drop',
  takes: '<shard>:<id> [--yes]',
  does: 'removes a parked command for good; says first which, and does it with --yes',
  async run(args, parts) {
    const letter = await requireDeadLetter(
      parts,
      args.find((word) => word !== '--yes'),
    );
    const { name, shard, id, accountId, envelope, reason } = letter;
    const type = envelope?.command.type ?? 'a command that cannot be read';
    const meaning = [`${type} of ${accountId} is removed. Nothing of it was done; its sender was told so (500).`];
    if (!args.includes('--yes')) return report(name, false, [...meaning, 'Nothing was done. The same with --yes does it.']);
    if ((await parts.redis.xdel(shardKeys.dead(shard), id)) === 0)
      throw new Refused(`There is no dead letter ${name} (any more).`);
    if (accountId === SHARD_MAILBOX) return report(name, true, [...meaning, 'Done.']);
    const audited = await auditOperator(parts, {
      accountId,
      action: 'command.dropped',
      detail: `${type}: ${reason.slice(0, 150)}`,
    });
    return report(name, true, [...meaning, 'Done.', audited]);
  },
};

const report = (id: string, dropped: boolean, lines: readonly string[]): Report => ({ data: { id, dropped }, lines });
