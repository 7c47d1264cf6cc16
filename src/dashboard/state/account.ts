// The account as its owner's process shows it: figures and positions from one channel, so that they are of one moment; the open
// orders; and its resets.
import { signal } from '@preact/signals';
import type { StreamMessage } from '../api/streamSocket.ts';
import {
  type AccountFigures,
  type OpenOrder,
  type OpenPosition,
  readAccountState,
  readOpenOrder,
  type WireAccountState,
  type WireOpenOrder,
} from '../domain/account/wireAccount.ts';
import { replacesState, type StateMoment } from '../domain/stream.ts';
import { aboutAccount } from './chosenAccount.ts';
import { shownTogether, stream } from './stream.ts';

interface AccountNow extends AccountFigures, StateMoment {
  readonly positions: readonly OpenPosition[];
}

/** undefined until the first message. */
export const account = signal<AccountNow | undefined>(undefined);

/** Follows the account. @returns ends it */
export function followAccount(): () => void {
  const showing = shownTogether<AccountNow>((next) => {
    account.value = next;
  });
  let newest: AccountNow | undefined;
  const onMessage = ({ data, seq = 0 }: StreamMessage): void => {
    const state = data.clearinghouseState as WireAccountState;
    const next = { ...readAccountState(state), seq, timeMs: state.time };
    if (!replacesState(newest, next)) return;
    newest = next;
    showing.give(next);
  };
  const end = stream.subscribe({ subscription: aboutAccount({ type: 'clearinghouseState' }), onMessage });
  return () => {
    end();
    showing.end();
    account.value = undefined;
  };
}

interface OrdersNow {
  /** Of the entry that the list includes. */
  readonly seq: number;
  readonly orders: readonly OpenOrder[];
}

/** undefined until the first message. */
export const openOrders = signal<OrdersNow | undefined>(undefined);

/**
 * The open orders, whole after every change, and only then: a hundred of them are 50 kB.
 * Follows the open orders. @returns ends it
 */
export function followOrders(): () => void {
  const showing = shownTogether<StreamMessage>(({ data, seq = 0 }) => {
    openOrders.value = { orders: (data.orders as readonly WireOpenOrder[]).map(readOpenOrder), seq };
  });
  let newestSeq = 0;
  const onMessage = (message: StreamMessage): void => {
    const { seq = 0 } = message;
    if (seq < newestSeq) return;
    newestSeq = seq;
    showing.give(message);
  };
  const end = stream.subscribe({ subscription: aboutAccount({ type: 'openOrders', onlyChanges: true }), onMessage });
  return () => {
    end();
    showing.end();
    openOrders.value = undefined;
  };
}

/** How often an account that is shown here was reset meanwhile. */
export const resets = signal(0);

/**
 * Follows the begin of the account: it is opened once, and begins again with each reset, also by a bot, an operator or another
 * tab. Older answers are no part of it any more, so every page asks again. @param onReset called when it is another one, and all
 * that was shown is asked for again
 * @returns ends it
 */
export function followStart(onReset: () => void): () => void {
  let startMs = 0;
  return stream.subscribe({
    subscription: aboutAccount({ type: 'accountStart', onlyChanges: true }),
    onMessage: ({ data }) => {
      const isAnother = startMs > 0 && data.time !== startMs;
      startMs = data.time;
      if (!isAnother) return;
      resets.value += 1;
      onReset();
    },
  });
}
