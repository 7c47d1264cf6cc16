// `bin/admin dead-letters requeue`: puts a parked command back into its account's mailbox, under a new id and deadline. The
// letter leaves the dead letters with the same step, so it comes back once. What its owner did not do is a letter again.
import { SHARD_MAILBOX } from '../../shared/redis/keys.ts';
import { auditOperator } from '../accounts/auditOperator.ts';
import { sendToAccount, sentenceOfReply } from '../accounts/sendToAccount.ts';
import { type AdminCommand, Refused, type Report } from '../adminCommand.ts';
import { type DeadLetter, requireDeadLetter } from './deadLetters.ts';
import { putBackUndone } from './putBack.ts';

export const requeueDeadLetter: AdminCommand = {
  name: 'dead-letters requeue',
  takes: '<shard>:<id> [--yes]',
  does: 'has a parked command done after all; says first what that means, and does it with --yes',
  async run(args, parts) {
    const letter = await requireDeadLetter(
      parts,
      args.find((word) => word !== '--yes'),
    );
    const { name, accountId, id, envelope, reason } = letter;
    if (accountId === SHARD_MAILBOX) throw new Refused('It is a job’s command for a whole shard: the job writes it anew.');
    if (envelope === undefined) throw new Refused('This build cannot read it: it can only be dropped.');
    const { command, idempotency } = envelope;
    if (command.type === 'query') throw new Refused('It is a question: its sender has long asked anew.');
    const meaning = meaningOf(letter, { type: command.type, hasKey: idempotency !== undefined }, parts.billing.now());
    if (!args.includes('--yes')) return report(name, false, [...meaning, 'Nothing was done. The same with --yes does it.']);
    const { isSent, ...sent } = await sendToAccount(parts, accountId, command, {
      deadLetter: id,
      ...(idempotency && { idempotency }),
    });
    if (!isSent) throw new Refused(`There is no dead letter ${name} (any more).`);
    const said = sentenceOfReply(sent.reply);
    const again = await putBackUndone(parts, letter, sent);
    if (again !== undefined) {
      const hint = sent.reply === undefined ? ['Its shard may have no owner: bin/admin shards.'] : [];
      return report(name, false, [...meaning, said, ...hint, `Nothing was done. It is a dead letter again: ${again}`]);
    }
    const taken = sent.reply === undefined ? ['Its owner has taken it: the account shows whether it was done.'] : [];
    const audited = await auditOperator(parts, {
      accountId,
      action: 'command.requeued',
      detail: `${command.type}: ${reason.slice(0, 150)}`,
    });
    return report(name, true, [...meaning, said, ...taken, audited]);
  },
};

function meaningOf(
  { accountId, parkedMs }: DeadLetter,
  { type, hasKey }: { type: string; hasKey: boolean },
  nowMs: number,
): string[] {
  const minutes = Math.max(0, Math.round((nowMs - parkedMs) / 60_000));
  return [
    `${type} of ${accountId}, parked ${minutes} minutes ago, is done now, at the prices of now. Its sender was told that nothing was done (500).`,
    hasKey
      ? 'It has an Idempotency-Key: what its sender has sent again under it meanwhile is not done twice.'
      : 'It has no Idempotency-Key: if its sender has sent it again meanwhile, it is done twice. Ask the sender first.',
  ];
}

const report = (id: string, requeued: boolean, lines: readonly string[]): Report => ({ data: { id, requeued }, lines });
