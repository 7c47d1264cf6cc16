// The answers to commands and to questions.

import type { CommandOutcome } from './answers/commandOutcome.ts';
import type { QueryAnswer } from './answers/queryAnswer.ts';

export type Outcome =
  | CommandOutcome
  /**
   * `seq` is the account's newest entry: the answer is of the account right after it. `stateHash`, where it was asked for:
   * names the state of the account at that moment.
   */
  | { readonly type: 'answer'; readonly answer: QueryAnswer; readonly seq: number; readonly stateHash?: string };
