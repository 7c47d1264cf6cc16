// What the commands that change a dead letter have in common: they say first which one it is and what that means, and do it with
// --yes only.

import type { LetterOutcome } from '../../operators/deadLetters/changeLetter.ts';
import { type DeadLetter, requireDeadLetter } from '../../operators/deadLetters/deadLetters.ts';
import type { OperatorParts } from '../../operators/operatorParts.ts';
import type { AdminCommand } from '../adminCommand.ts';

interface LetterAct {
  readonly name: string;
  readonly does: string;
  /** Names in the answer whether it was done. */
  readonly field: string;
  /** What doing it means. @throws {Refused} when it cannot be done */
  meaning(letter: DeadLetter, parts: OperatorParts): readonly string[];
  /** @throws {Refused} when the letter is gone */
  act(parts: OperatorParts, letter: DeadLetter): Promise<LetterOutcome>;
}

export const deadLetterCommand = ({ name, does, field, meaning, act }: LetterAct): AdminCommand => ({
  ...{ name, does, takes: '<shard>:<id> [--yes]' },
  async run(args, parts) {
    const named = args.find((word) => word !== '--yes');
    const letter = await requireDeadLetter(parts, named);
    const meant = meaning(letter, parts);
    const outcome = args.includes('--yes')
      ? await act(parts, letter)
      : { isDone: false, lines: ['Nothing was done. The same with --yes does it.'] };
    return { data: { id: letter.name, [field]: outcome.isDone }, lines: [...meant, ...outcome.lines] };
  },
});
