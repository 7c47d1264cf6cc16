// Asks a question again when what its answer was made of has moved since. At most so often, and only while the page is seen: a busy
// account costs a few questions a minute, a quiet one none.
import { effect, untracked, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { account } from '../../state/account.ts';
import { atMostEvery, whileShown } from '../../state/pace.ts';
import type { PolledAnswer } from '../answers.tsx';

/** The prices and orders that an answer depends on. */
export interface Standing {
  /** The account's newest journal entry that may change it; 0 = none does. */
  readonly seq: number;
  /** The prices that may change the answer, as text. */
  readonly prices?: string | undefined;
}

/** Of answers that change with the account's orders: an order that ends as it comes is on no list of open ones. */
export const ordersNow = (): Standing => ({ seq: account.value?.seq ?? 0 });

/**
 * @param now reads signals, which are followed; undefined while nothing can change the answer. Another function begins again
 * @param everyMs the least time between two questions
 */
export function useAskedAgain(asked: PolledAnswer<unknown>, now: (() => Standing) | undefined, everyMs: number): void {
  const { answer, isAsking, askAgain } = asked;
  const answered = useSignal<Standing | undefined>(undefined);
  // A price that moves meanwhile may be in the answer that is on its way.
  const waits = useSignal(isAsking);
  // Prices that move while the answer is on its way may not be in it.
  const prices = useRef<string | undefined>(undefined);
  useEffect(() => {
    answered.value = answer && { seq: answer.seq ?? 0, prices: prices.current };
  }, [answer]);
  useEffect(() => {
    waits.value = isAsking;
    if (isAsking) prices.current = now && untracked(now).prices;
  }, [isAsking]);
  useEffect(() => {
    if (now === undefined) return;
    const last = answered.peek();
    if (last !== undefined) answered.value = { ...last, prices: last.prices ?? untracked(now).prices };
    const isBehind = (): boolean => {
      const [known, next] = [answered.value, now()];
      if (known === undefined || waits.value) return false;
      // The prices of an answer that came before are not known.
      const isMoved = known.prices !== undefined && next.prices !== known.prices;
      return next.seq > known.seq || isMoved;
    };
    return whileShown(() => {
      const asks = atMostEvery<true>(everyMs, () => {
        if (untracked(isBehind)) askAgain();
      });
      const end = effect(() => {
        if (isBehind()) asks.give(true);
      });
      return () => {
        end();
        asks.end();
      };
    });
  }, [now, everyMs]);
}
