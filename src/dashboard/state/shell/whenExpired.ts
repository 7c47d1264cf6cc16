// What shows the account of a user whose trial or paid time is over: its script comes when there is one, for most never need it.

import { reloadOnce, scriptIsThere } from '../reloadOnce.ts';
import { stream } from '../stream.ts';

/** @param onError hears of a look that failed @returns ends it */
export function followWhenExpired(onError: (error: unknown) => void): () => void {
  let isOver = false;
  let isAsked = false;
  let end: (() => void) | undefined;
  const begin = async (): Promise<void> => {
    const { followExpired } = await import('./expiredAccount.ts');
    scriptIsThere();
    if (!isOver) end = followExpired(onError);
  };
  const endWait = stream.connection.subscribe((now) => {
    if (now !== 'expired' || isAsked) return;
    isAsked = true;
    begin().catch((error: unknown) => {
      if (!reloadOnce()) onError(error);
    });
  });
  return () => {
    isOver = true;
    endWait();
    end?.();
  };
}
