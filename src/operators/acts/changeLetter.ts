// What changes a dead letter: having its command done after all, and removing it. Both leave a row in the audit log of the account's user.

import { Type } from '@sinclair/typebox';
import { type CommandEnvelope, isUndone } from '../../actors/core/messages/envelope.ts';
import { exactly } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { MINUTE_MS } from '../../shared/domain/units.ts';
import type { AuditAction } from '../../shared/mongo/auditLog.ts';
import { SHARD_MAILBOX, shardKeys } from '../../shared/redis/keys.ts';
import { Script } from '../../shared/redis/script.ts';
import { LetterName, letterOfPath, letterParams, type NamedLetter, type ParkedCommand, requireLetter } from './deadLetters.ts';
import { type ActOnAccount, operatorAct } from './operatorAct.ts';
import { type OperatorParts, Refused, Unknown } from './operatorParts.ts';
import { MAY_BE_UNKNOWN } from './page.ts';
import { type Sent, sendToAccount, sentenceOfReply } from './sendToAccount.ts';

/** Of a letter's reason, in the audit log. */
const REASON_LENGTH_MAX = 150;

/** What became of it. */
interface LetterOutcome {
  readonly isDone: boolean;
  readonly lines: readonly string[];
}

interface Requeueable {
  readonly letter: ParkedCommand;
  readonly envelope: CommandEnvelope;
}

const Outcome = named(
  'DeadLetterOutcome',
  exactly({ id: LetterName, done: Type.Boolean(), message: described(Type.String(), 'What became of it, in words.') }),
);

const inPath = { params: letterParams, answer: Outcome, errors: MAY_BE_UNKNOWN, ask: letterOfPath } as const;
const atTerminal = { takes: '<shard>:<id> [--yes]', ask: ([name]: readonly string[]): NamedLetter => ({ name }) } as const;

/**
 * Puts a parked command back into its account's mailbox, under a new id and deadline. The letter leaves the dead letters with the same step,
 * so it comes back once. What its owner did not do is a letter again, by the owner where this process is gone.
 */
export const requeueDeadLetter = operatorAct<NamedLetter, Requeueable, LetterOutcome>({
  check: async (parts, asked) => {
    const letter = await requireLetter(parts, asked);
    return { letter, envelope: requireRequeueable(letter) };
  },
  audit: ({ letter }) => actOn(letter, 'command.requeued'),
  act: requeue,
  isDone: ({ isDone }) => isDone,
  command: {
    ...atTerminal,
    name: 'dead-letters requeue',
    does: 'has a parked command done after all; says first what that means, and does it with --yes',
    meaning: ({ letter, envelope }, { billing }) => meaningOf(letter, envelope, billing.now()),
    data: ({ letter }, outcome) => ({ id: letter.name, requeued: outcome?.isDone === true }),
    lines: ({ lines }) => lines,
  },
  endpoint: {
    ...inPath,
    id: 'requeueDeadLetter',
    path: '/v1/admin/dead-letters/:id/requeue',
    summary: 'Has a parked command done after all, once.',
    audited: ({ name }) => `requeue ${name}`,
    show: ({ isDone, lines }, { letter }, line) => ({ id: letter.name, done: isDone, message: [...lines, ...line].join(' ') }),
  },
});

/** @throws {Refused} for a command that cannot be put back */
function requireRequeueable({ accountId, envelope }: ParkedCommand): CommandEnvelope {
  if (accountId === SHARD_MAILBOX) throw new Refused('It is a job’s command for a whole shard: the job writes it anew.');
  if (envelope === undefined) throw new Refused('This build cannot read it: it can only be dropped.');
  if (envelope.command.type === 'query') throw new Refused('It is a question: its sender has long asked anew.');
  return envelope;
}

function meaningOf({ accountId, parkedMs }: ParkedCommand, { command, idempotency }: CommandEnvelope, nowMs: number): string[] {
  const minutes = Math.max(0, Math.round((nowMs - parkedMs) / MINUTE_MS));
  return [
    `${command.type} of ${accountId}, parked ${minutes} minutes ago, is done now, at the prices of now. Its sender was told that nothing was done (500).`,
    idempotency !== undefined
      ? 'It has an Idempotency-Key: what its sender has sent again under it meanwhile is not done twice.'
      : 'It has no Idempotency-Key: if its sender has sent it again meanwhile, it is done twice. Ask the sender first.',
  ];
}

async function requeue(
  parts: OperatorParts,
  { letter, envelope: { command, idempotency } }: Requeueable,
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

const putBackScript = new Script(
  'putDeadLetterBack',
  `
-- Makes a command a dead letter again.
-- KEYS  mailbox, dead letters, bytes of mailboxes.
-- ARGV  account id, its id in the mailbox ('' = it was consumed), its bytes there, command, reason, time in ms.
-- Answers the letter's new id, nothing when the command is not in the mailbox any more.
-- Atomic because a command must be in one of the two: what its owner has consumed meanwhile must not come back.
if ARGV[2] ~= '' then
  if redis.call('XDEL', KEYS[1], ARGV[2]) == 0 then return false end
  if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then
    redis.call('HINCRBY', KEYS[3], ARGV[1], -ARGV[3])
    redis.call('HINCRBY', KEYS[3], '_all', -ARGV[3])
  end
end
return redis.call('XADD', KEYS[2], '*', 'account', ARGV[1], 'command', ARGV[4], 'reason', ARGV[5], 't', ARGV[6])
`,
);

/**
 * Puts the letter of a requeued command back when its owner did not do it, so that it can be requeued again.
 * @returns the letter's new name; undefined when the command was decided, is parked anew, or may have been done
 */
async function putBackUndone(
  { redis }: Pick<OperatorParts, 'redis'>,
  letter: ParkedCommand,
  { reply, waiting }: Pick<Sent, 'reply' | 'waiting'>,
): Promise<string | undefined> {
  if (reply !== undefined && !('failure' in reply && isUndone(reply.failure))) return undefined;
  const { shard, accountId, text, reason, parkedMs } = letter;
  const keys = [shardKeys.commands(shard, accountId), shardKeys.dead(shard), shardKeys.mailboxBytes(shard)];
  // Its deadline is over when no answer came: what is in the mailbox then will not be done.
  const inMailbox = reply === undefined ? waiting.id : '';
  const id = await putBackScript.run(redis, keys, [accountId, inMailbox, waiting.bytes, text, reason, parkedMs]);
  return id === null ? undefined : `${shard}:${id}`;
}

/** Removes a parked command. Nothing of it was done, and nothing will be. */
export const dropDeadLetter = operatorAct<NamedLetter, ParkedCommand, true>({
  check: requireLetter,
  // A job's command is of no account.
  audit: (letter) => (letter.accountId === SHARD_MAILBOX ? undefined : actOn(letter, 'command.dropped')),
  act: async ({ redis }, { name, shard, id }) => {
    if ((await redis.xdel(shardKeys.dead(shard), id)) === 0) throw gone(name);
    return true;
  },
  command: {
    ...atTerminal,
    name: 'dead-letters drop',
    does: 'removes a parked command for good; says first which, and does it with --yes',
    meaning: (letter) => [
      `${typeOf(letter)} of ${letter.accountId} is removed. Nothing of it was done; its sender was told so (500).`,
    ],
    data: ({ name }, done) => ({ id: name, dropped: done === true }),
    lines: () => ['Done.'],
  },
  endpoint: {
    ...inPath,
    id: 'dropDeadLetter',
    path: '/v1/admin/dead-letters/:id/drop',
    summary: 'Removes a parked command; nothing of it was done.',
    audited: ({ name }) => `drop ${name}`,
    show: (_done, { name }, line) => ({ id: name, done: true, message: ['Done.', ...line].join(' ') }),
  },
});

const typeOf = ({ envelope }: ParkedCommand): string => envelope?.command.type ?? 'a command that cannot be read';

const gone = (name: string): Unknown => new Unknown(`There is no dead letter ${name} (any more).`);

const actOn = (letter: ParkedCommand, action: AuditAction): ActOnAccount => ({
  ...{ accountId: letter.accountId, action },
  detail: `${typeOf(letter)}: ${letter.reason.slice(0, REASON_LENGTH_MAX)}`,
});
