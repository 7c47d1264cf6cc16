// `bin/admin dead-letters requeue`: puts a parked command back into its account's mailbox, under a new id and deadline. The
// letter leaves the dead letters with the same step, so it comes back once. What its owner did not do is a letter again.
import type { CommandEnvelope } from '../../actors/domain/messages/envelope.ts';
import { SHARD_MAILBOX } from '../../shared/redis/keys.ts';
import { sendToAccount, sentenceOfReply } from '../accounts/sendToAccount.ts';
import { Refused } from '../adminCommand.ts';
import { auditLetter, deadLetterCommand } from './deadLetterCommand.ts';
import type { DeadLetter } from './deadLetters.ts';
import { putBackUndone } from './putBack.ts';

export const requeueDeadLetter = deadLetterCommand({
  name: 'dead-letters requeue',
  does: 'has a parked command done after all; says first what that means, and does it with --yes',
  field: 'requeued',
  meaning: (letter, { billing }) => meaningOf(letter, requireRequeueable(letter), billing.now()),
  async act(letter, parts) {
    const { name, accountId, id } = letter;
    const { command, idempotency } = requireRequeueable(letter);
    const { isSent, ...sent } = await sendToAccount(parts, accountId, command, {
      deadLetter: id,
      ...(idempotency && { idempotency }),
    });
    if (!isSent) throw new Refused(`There is no dead letter ${name} (any more).`);
    const said = sentenceOfReply(sent.reply);
    const again = await putBackUndone(parts, letter, sent);
    if (again !== undefined) {
      const hint = sent.reply === undefined ? ['Its shard may have no owner: bin/admin shards.'] : [];
      return { isDone: false, lines: [said, ...hint, `Nothing was done. It is a dead letter again: ${again}`] };
    }
    const taken = sent.reply === undefined ? ['Its owner has taken it: the account shows whether it was done.'] : [];
    return { isDone: true, lines: [said, ...taken, ...(await auditLetter(parts, letter, 'command.requeued'))] };
  },
});

/** @throws {Refused} for a command that cannot be put back */
function requireRequeueable({ accountId, envelope }: DeadLetter): CommandEnvelope {
  if (accountId === SHARD_MAILBOX) throw new Refused('It is a job’s command for a whole shard: the job writes it anew.');
  if (envelope === undefined) throw new Refused('This build cannot read it: it can only be dropped.');
  if (envelope.command.type === 'query') throw new Refused('It is a question: its sender has long asked anew.');
  return envelope;
}

function meaningOf({ accountId, parkedMs }: DeadLetter, { command, idempotency }: CommandEnvelope, nowMs: number): string[] {
  const minutes = Math.max(0, Math.round((nowMs - parkedMs) / 60_000));
  return [
    `${command.type} of ${accountId}, parked ${minutes} minutes ago, is done now, at the prices of now. Its sender was told that nothing was done (500).`,
    idempotency !== undefined
      ? 'It has an Idempotency-Key: what its sender has sent again under it meanwhile is not done twice.'
      : 'It has no Idempotency-Key: if its sender has sent it again meanwhile, it is done twice. Ask the sender first.',
  ];
}
