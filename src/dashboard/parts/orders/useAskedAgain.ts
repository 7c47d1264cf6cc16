// Asks a question again when what its answer was made of has moved since. At most so often, and only while the page is seen: a busy
// account costs a few questions a minute, a quiet one none.
import { effect, untracked, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { fills } from '../../state/fills.ts';
import { atMostEvery } from '../../state/market/atMostEvery.ts';
import { whileShown } from '../../state/market/whileShown.ts';
import { openOrders } from '../../state/orders.ts';
import type { Asked } from '../useAnswer.ts';

/** What an answer depends on. */
export interface Standing {
  /** The account's newest journal entry that may change it; 0 = none does. */
  readonly seq: number;
  /** A price that may change it. */
  readonly mid?: string | undefined;
}

/** Of answers that change with the account's orders. */
export const ordersNow = (): Standing => ({
  seq: Math.max(openOrders.value?.seq ?? 0, fills.value?.rows[0]?.seq ?? 0),
});

/**
 * @param now reads signals, which are followed; undefined while nothing can change the answer. Another function begins anew
 * @param everyMs the least time between two questions
 */
export function useAskedAgain(asked: Asked<unknown>, now: (() => Standing) | undefined, everyMs: number): void {
  const { answer, isAsking, askAgain } = asked;
  const answered = useSignal<Standing | undefined>(undefined);
  // What moves meanwhile may be in the answer that is on its way.
  const waits = useSignal(isAsking);
  // A price that moves while the answer is on its way may not be in it.
  const mid = useRef<string | undefined>(undefined);
  useEffect(() => {
    answered.value = answer && { seq: answer.seq ?? 0, mid: mid.current };
  }, [answer]);
  useEffect(() => {
    waits.value = isAsking;
    if (isAsking) mid.current = now && untracked(now).mid;
  }, [isAsking]);
  useEffect(() => {
    if (now === undefined) return;
    const told = answered.peek();
    if (told !== undefined) answered.value = { ...told, mid: told.mid ?? untracked(now).mid };
    const isBehind = (): boolean => {
      const [known, next] = [answered.value, now()];
      if (known === undefined || waits.value) return false;
      // What an answer from before this began was asked at is not known.
      const isMoved = known.mid !== undefined && next.mid !== known.mid;
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
