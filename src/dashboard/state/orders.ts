// The open orders, whole after every change.
import { signal } from '@preact/signals';
import type { StreamMessage } from '../api/streamSocket.ts';
import { replacesState, type StateMoment } from '../domain/channelProgress.ts';
import { type OpenOrder, readOpenOrder, type WireOpenOrder } from '../domain/wire/openOrder.ts';
import { aboutAccount } from './paths.ts';
import { stream } from './stream.ts';

interface OrdersNow extends StateMoment {
  readonly orders: readonly OpenOrder[];
}

/** undefined until the first message. */
export const openOrders = signal<OrdersNow | undefined>(undefined);

/** Follows the open orders. @returns ends it */
export function followOrders(): () => void {
  const end = stream.subscribe({ subscription: aboutAccount({ type: 'openOrders' }), onMessage });
  return () => {
    end();
    openOrders.value = undefined;
  };
}

function onMessage({ data, seq = 0 }: StreamMessage): void {
  const orders = (data.orders as readonly WireOpenOrder[]).map(readOpenOrder);
  const next = { orders, seq, timeMs: 0 };
  if (replacesState(openOrders.value, next)) openOrders.value = next;
}
