// Changes of orders' status: `orderUpdates` has each as it happens, those of one entry in one message; `userHistoricalOrders` begins with the
// newest of the log, oldest first.
import { Type } from '@sinclair/typebox';
import type { OrderRow } from '../../../actors/core/messages/historyRows.ts';
import { Address, exactly } from '../../contract/answerValues.ts';
import { OrderUpdate } from '../../contract/venueForms.ts';
import { HEAVIEST, LIGHT } from '../../domain/requestPrice.ts';
import { toPlainOrder, toStatusChange } from '../../domain/wireOrders.ts';
import { latestAscending } from '../../info/accountRows.ts';
import { CHANGES_MAX, historicalOrders } from '../../info/orders.ts';
import { type AccountUpdate, rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader, addressOf } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';

const readOrderUpdates = accountReader('orderUpdates', {});

export const orderUpdates = channel(readOrderUpdates, {
  about: 'Status changes of orders as they happen.',
  messages: { orderUpdates: Type.Array(OrderUpdate) },
  weight: LIGHT,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'orderUpdates',
        kinds: ['orders', 'fills', 'twapFills'],
        read: readOrderUpdates,
        messages: (update) => {
          const changes = toChanges(update);
          return changes.length === 0 ? [] : [changes];
        },
      },
      parts,
    ),
});

const toChanges = (update: AccountUpdate) => withArrivals(update).map(toOrderUpdate);

const toOrderUpdate = ({ order, status, timeMs }: OrderRow) => ({ order: toPlainOrder(order), status, statusTimestamp: timeMs });

/**
 * Adds the `open` status before a fill on arrival: such an order has a single row, its end, but the venue also reports it as
 * open. Its fills took from the book; those of an order that was open before did not.
 */
function withArrivals(update: AccountUpdate): OrderRow[] {
  const fills = [...rowsOfKind(update, 'fills'), ...rowsOfKind(update, 'twapFills')];
  const takers = new Set(fills.flatMap(({ oid, liquidity }) => (liquidity === 'taker' ? [oid] : [])));
  const told = new Set<number>();
  return rowsOfKind(update, 'orders').flatMap((row) => {
    const { oid, originalSize } = row.order;
    const isArrival = row.status !== 'open' && row.status !== 'triggered' && takers.has(oid) && !told.has(oid);
    told.add(oid);
    if (!isArrival || row.order.trigger !== undefined) return [row];
    return [{ ...row, status: 'open', order: { ...row.order, size: originalSize, filledSize: '0' } }, row];
  });
}

const readUserHistoricalOrders = accountReader('userHistoricalOrders', {});

export const userHistoricalOrders = channel(readUserHistoricalOrders, {
  about: 'Status changes of orders: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: {
    userHistoricalOrders: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      orderHistory: historicalOrders.answers,
    }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userHistoricalOrders',
        kinds: ['orders'],
        read: readUserHistoricalOrders,
        snapshot: async (subscription, call, services) => ({
          isSnapshot: true,
          user: addressOf(subscription, call),
          orderHistory: (await latestAscending(call, services, { kind: 'orders', limit: CHANGES_MAX })).map(toStatusChange),
        }),
        messages: (update, { user }) => {
          const orderHistory = rowsOfKind(update, 'orders').map(toStatusChange);
          return orderHistory.length === 0 ? [] : [{ user, orderHistory }];
        },
      },
      parts,
    ),
});
