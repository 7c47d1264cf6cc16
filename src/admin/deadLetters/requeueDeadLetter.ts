// `bin/admin dead-letters requeue`: has a parked command done after all, once. What its owner did not do is a letter again.
import type { CommandEnvelope } from '../../actors/core/messages/envelope.ts';
import { requeueLetter, requireRequeueable } from '../../operators/deadLetters/changeLetter.ts';
import type { DeadLetter } from '../../operators/deadLetters/deadLetters.ts';
import { MINUTE_MS } from '../../shared/domain/units.ts';
import { deadLetterCommand } from './deadLetterCommand.ts';

export const requeueDeadLetter = deadLetterCommand({
  name: 'dead-letters requeue',
  does: 'has a parked command done after all; says first what that means, and does it with --yes',
  field: 'requeued',
  meaning: (letter, { billing }) => meaningOf(letter, requireRequeueable(letter), billing.now()),
  act: requeueLetter,
});

function meaningOf({ accountId, parkedMs }: DeadLetter, { command, idempotency }: CommandEnvelope, nowMs: number): string[] {
  const minutes = Math.max(0, Math.round((nowMs - parkedMs) / MINUTE_MS));
  return [
    `${command.type} of ${accountId}, parked ${minutes} minutes ago, is done now, at the prices of now. Its sender was told that nothing was done (500).`,
    idempotency !== undefined
      ? 'It has an Idempotency-Key: what its sender has sent again under it meanwhile is not done twice.'
      : 'It has no Idempotency-Key: if its sender has sent it again meanwhile, it is done twice. Ask the sender first.',
  ];
}
