// `orderUpdates`: changes of orders' status as they happen, those of one entry in one message.
import { Type } from '@sinclair/typebox';
import type { OrderRow } from '../../../actors/core/messages/historyRows.ts';
import { OrderUpdate } from '../../contract/venueForms.ts';
import { LIGHT } from '../../domain/requestPrice.ts';
import { toPlainOrder } from '../../domain/wireOrders.ts';
import { type AccountUpdate, rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';

export const orderUpdates = channel(accountReader('orderUpdates', {}), {
  about: 'Status changes of orders as they happen.',
  messages: { orderUpdates: Type.Array(OrderUpdate) },
  weight: LIGHT,
  serve: (parts: PrivateParts) =>
    rowStream(
      {
        kinds: ['orders', 'fills', 'twapFills'],
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
