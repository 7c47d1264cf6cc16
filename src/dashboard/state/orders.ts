// The open orders, whole after every change, and only then: a hundred of them are 50 kB.
import { signal } from '@preact/signals';
import type { StreamMessage } from '../api/streamSocket.ts';
import { type OpenOrder, readOpenOrder, type WireOpenOrder } from '../domain/wire/openOrder.ts';
import { aboutAccount } from './paths.ts';
import { shownTogether } from './shownTogether.ts';
import { stream } from './stream.ts';

interface OrdersNow {
  /** Of the entry that the list includes. */
  readonly seq: number;
  readonly orders: readonly OpenOrder[];
}

/** undefined until the first message. */
export const openOrders = signal<OrdersNow | undefined>(undefined);

/** Follows the open orders. @returns ends it */
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
