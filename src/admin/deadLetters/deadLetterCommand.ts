// What the commands that change a dead letter have in common: they say first which one it is and what that means, do it with --yes
// only, and leave a row in the audit log of the account's user.
import type { AuditAction } from '../../shared/mongo/auditLog.ts';
import { SHARD_MAILBOX } from '../../shared/redis/keys.ts';
import { auditOperator } from '../accounts/auditOperator.ts';
import type { AdminCommand, AdminParts } from '../adminCommand.ts';
import { type DeadLetter, requireDeadLetter } from './deadLetters.ts';

/** Of a letter's reason, in the audit log. */
const REASON_LENGTH_MAX = 150;

/** What became of it. */
export interface Outcome {
  readonly isDone: boolean;
  readonly lines: readonly string[];
}

interface LetterAct {
  readonly name: string;
  readonly does: string;
  /** Names in the answer whether it was done. */
  readonly field: string;
  /** What doing it means. @throws {Refused} when it cannot be done */
  meaning(letter: DeadLetter, parts: AdminParts): readonly string[];
  /** @throws {Refused} when the letter is gone */
  act(letter: DeadLetter, parts: AdminParts): Promise<Outcome>;
}

export const deadLetterCommand = ({ name, does, field, meaning, act }: LetterAct): AdminCommand => ({
  ...{ name, does, takes: '<shard>:<id> [--yes]' },
  async run(args, parts) {
    const named = args.find((word) => word !== '--yes');
    const letter = await requireDeadLetter(parts, named);
    const meant = meaning(letter, parts);
    const outcome = args.includes('--yes')
      ? await act(letter, parts)
      : { isDone: false, lines: ['Nothing was done. The same with --yes does it.'] };
    return { data: { id: letter.name, [field]: outcome.isDone }, lines: [...meant, ...outcome.lines] };
  },
});

/** @returns lines for the operator; none for a job's command, which is of no account */
export async function auditLetter(parts: AdminParts, letter: DeadLetter, action: AuditAction): Promise<readonly string[]> {
  const { accountId, reason } = letter;
  if (accountId === SHARD_MAILBOX) return [];
  return [await auditOperator(parts, { accountId, action, detail: `${typeOf(letter)}: ${reason.slice(0, REASON_LENGTH_MAX)}` })];
}

export const typeOf = ({ envelope }: DeadLetter): string => envelope?.command.type ?? 'a command that cannot be read';
