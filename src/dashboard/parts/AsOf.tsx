// Of which entry of the account's journal an answer is, and how old it is.
import { useMemo } from 'preact/hooks';
import { serverNow } from '../api/answer.ts';
import type { PolledAnswer } from './answers.tsx';
import { Age } from './numbers.tsx';

export function AsOf({ asked: { answer, askAgain, isAsking } }: { readonly asked: PolledAnswer<unknown> }) {
  const at = useMemo(serverNow, [answer]);
  if (answer === undefined) return null;
  return (
    <p class="asOf">
      Read <Age at={at} />
      {answer.seq !== undefined && (
        <>
          {' '}
          at entry <span class="number">{answer.seq}</span> of the account’s journal
        </>
      )}{' '}
      <button type="button" class="small" disabled={isAsking} onClick={askAgain}>
        Read again
      </button>
    </p>
  );
}
