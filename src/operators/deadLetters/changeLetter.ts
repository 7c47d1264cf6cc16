// What changes a dead letter: having its command done after all, and removing it. Both leave a row in the audit log of the account's user.
import type { CommandEnvelope } from '../../actors/core/messages/envelope.ts';
import type { AuditAction } from '../../shared/mongo/auditLog.ts';
import { SHARD_MAILBOX, shardKeys } from '../../shared/redis/keys.ts';
import { sendToAccount, sentenceOfReply } from '../accounts/sendToAccount.ts';
import { type ActOnAccount, withAccountAudit } from '../accounts/withAudit.ts';
import { type OperatorParts, Refused, Unknown } from '../operatorParts.ts';
import type { DeadLetter } from './deadLetters.ts';
import { putBackUndone } from './putBack.ts';

/** Of a letter's reason, in the audit log. */
const REASON_LENGTH_MAX = 150;

/** What became of it. */
export interface LetterOutcome {
  readonly isDone: boolean;
  readonly lines: readonly string[];
}

/**
 * Puts a parked command back into its account's mailbox, under a new id and deadline. The letter leaves the dead letters with the same step,
 * so it comes back once. What its owner did not do is a letter again, by the owner where this process is gone.
 * @throws {Refused} for a command that cannot be put back, {Unknown} when the letter is gone
 */
export async function requeueLetter(parts: OperatorParts, letter: DeadLetter): Promise<LetterOutcome> {
  const envelope = requireRequeueable(letter);
  const { done, line } = await withAccountAudit(parts, actOn(letter, 'command.requeued'), {
    act: () => requeue(parts, letter, envelope),
    isDone: ({ isDone }) => isDone,
  });
  return done.isDone ? { ...done, lines: [...done.lines, line] } : done;
}

async function requeue(
  parts: OperatorParts,
  letter: DeadLetter,
  { command, idempotency }: CommandEnvelope,
): Promise<LetterOutcome> {
  const { name, accountId, id } = letter;
  const { isSent, ...sent } = await sendToAccount(parts, accountId, command, {
    deadLetter: id,
    ...(idempotency && { idempotency }),
  });
  if (!isSent) throw gone(name);
  const said = sentenceOfReply(sent.reply);
  const again = await putBackUndone(parts, letter, sent);
  if (again !== undefined) {
    const hint = sent.reply === undefined ? ['Its shard may have no owner: bin/admin shards.'] : [];
    return { isDone: false, lines: [said, ...hint, `Nothing was done. It is a dead letter again: ${again}`] };
  }
  if (sent.reply === undefined)
    return { isDone: true, lines: [said, 'Its owner has taken it: the account shows whether it was done.'] };
  const isParked = 'failure' in sent.reply && sent.reply.failure === 'parked';
  if (isParked) return { isDone: false, lines: [said, 'Nothing was done. It is a dead letter again, under a new name.'] };
  return { isDone: true, lines: [said] };
}

/** Removes a parked command. Nothing of it was done, and nothing will be. @throws {Unknown} when the letter is gone */
export async function dropLetter(parts: OperatorParts, letter: DeadLetter): Promise<LetterOutcome> {
  const { name, shard, id, accountId } = letter;
  const drop = async (): Promise<void> => {
    if ((await parts.redis.xdel(shardKeys.dead(shard), id)) === 0) throw gone(name);
  };
  // A job's command is of no account.
  if (accountId === SHARD_MAILBOX) {
    await drop();
    return { isDone: true, lines: ['Done.'] };
  }
  const { line } = await withAccountAudit(parts, actOn(letter, 'command.dropped'), { act: drop });
  return { isDone: true, lines: ['Done.', line] };
}

/** @throws {Refused} for a command that cannot be put back */
export function requireRequeueable({ accountId, envelope }: DeadLetter): CommandEnvelope {
  if (accountId === SHARD_MAILBOX) throw new Refused('It is a job’s command for a whole shard: the job writes it anew.');
  if (envelope === undefined) throw new Refused('This build cannot read it: it can only be dropped.');
  if (envelope.command.type === 'query') throw new Refused('It is a question: its sender has long asked anew.');
  return envelope;
}

export const typeOf = ({ envelope }: DeadLetter): string => envelope?.command.type ?? 'a command that cannot be read';

const gone = (name: string): Unknown => new Unknown(`There is no dead letter ${name} (any more).`);

const actOn = (letter: DeadLetter, action: AuditAction): ActOnAccount => ({
  ...{ accountId: letter.accountId, action },
  detail: `${typeOf(letter)}: ${letter.reason.slice(0, REASON_LENGTH_MAX)}`,
});
