// `bin/admin dead-letters drop`: removes a parked command. Nothing of it was done, and nothing will be.
import { dropLetter, typeOf } from '../../operators/deadLetters/changeLetter.ts';
import { deadLetterCommand } from './deadLetterCommand.ts';

export const dropDeadLetter = deadLetterCommand({
  name: 'dead-letters drop',
  does: 'removes a parked command for good; says first which, and does it with --yes',
  field: 'dropped',
  meaning: (letter) => [
    `${typeOf(letter)} of ${letter.accountId} is removed. Nothing of it was done; its sender was told so (500).`,
  ],
  act: dropLetter,
});
