// What changes a dead letter: having its command done after all, and removing it. Both leave a row in the audit log of the account's user.
import type { CommandEnvelope } from '../../actors/domain/messages/envelope.ts';
import type { AuditAction } from '../../shared/mongo/auditLog.ts';
import { SHARD_MAILBOX, shardKeys } from '../../shared/redis/keys.ts';
import { auditOperator } from '../accounts/auditOperator.ts';
import { sendToAccount, sentenceOfReply } from '../accounts/sendToAccount.ts';
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
 * so it comes back once. What its owner did not do is a letter again.
 * @throws {Refused} for a command that cannot be put back, {Unknown} when the letter is gone
 */
export async function requeueLetter(parts: OperatorParts, letter: DeadLetter): Promise<LetterOutcome> {
  const { name, accountId, id } = letter;
  const { command, idempotency } = requireRequeueable(letter);
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
  const taken = sent.reply === undefined ? ['Its owner has taken it: the account shows whether it was done.'] : [];
  return { isDone: true, lines: [said, ...taken, ...(await auditLetter(parts, letter, 'command.requeued'))] };
}

/** Removes a parked command. Nothing of it was done, and nothing will be. @throws {Unknown} when the letter is gone */
export async function dropLetter(parts: OperatorParts, letter: DeadLetter): Promise<LetterOutcome> {
  const { name, shard, id } = letter;
  if ((await parts.redis.xdel(shardKeys.dead(shard), id)) === 0) throw gone(name);
  return { isDone: true, lines: ['Done.', ...(await auditLetter(parts, letter, 'command.dropped'))] };
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

/** @returns lines for the operator; none for a job's command, which is of no account */
async function auditLetter(parts: OperatorParts, letter: DeadLetter, action: AuditAction): Promise<readonly string[]> {
  const { accountId, reason } = letter;
  if (accountId === SHARD_MAILBOX) return [];
  return [await auditOperator(parts, { accountId, action, detail: `${typeOf(letter)}: ${reason.slice(0, REASON_LENGTH_MAX)}` })];
}
