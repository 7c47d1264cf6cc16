// What became of an action that had to wait for its latency: its sender asks from its time on.
import type { Account } from '../account/account.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';

export function delayedAction({ lab }: Account, number: number): AnswerOf<'delayedAction'> {
  const kind = 'delayedAction';
  if (lab?.waiting.some((action) => action.number === number)) return { kind, found: 'waiting' };
  return { kind, found: lab?.decided.find((action) => action.number === number)?.outcome ?? 'gone' };
}
