// Events of an account as they happen: `orderUpdates` has the changes of orders' status, `userEvents` all that happens without a request.
import { Type } from '@sinclair/typebox';
import type { LedgerRow, OrderRow } from '../../../actors/core/messages/historyRows.ts';
import type { OrderStatus } from '../../../actors/core/messages/order.ts';
import { Address, CoinName, Count, exactly, OrderId, WireDecimal } from '../../contract/answerValues.ts';
import { OrderUpdate } from '../../contract/venueForms.ts';
import { LIGHT } from '../../domain/requestPrice.ts';
import { toPlainOrder } from '../../domain/wireOrders.ts';
import { wireNumber, ZERO_ADDRESS } from '../../domain/wireText.ts';
import { toWireFills, userFills } from '../../info/fills.ts';
import { FlatPayment } from '../../info/ledger.ts';
import { toChange, toSliceFill, userTwapHistory, userTwapSliceFills } from '../../info/twaps.ts';
import { type AccountUpdate, ofKind, rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';
import { toFlatPayment } from './rowLists.ts';

/** The changes of one entry are one message. */
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

const Liquidation = exactly({
  lid: Count,
  liquidator: Address,
  liquidated_user: Address,
  liquidated_ntl_pos: WireDecimal,
  liquidated_account_value: WireDecimal,
});

/**
 * Its messages come on channel `user`: fills, funding, liquidations, cancels by the exchange, TWAPs. Each message is one of these; several of
 * one entry come in this order.
 */
export const userEvents = channel(accountReader('userEvents', {}), {
  about: 'Fills, funding, liquidations, cancels by the exchange, and TWAPs, as they happen: one kind in a message.',
  messages: {
    user: Type.Union([
      exactly({ fills: userFills.answers }),
      exactly({ twapSliceFills: userTwapSliceFills.answers }),
      exactly({ nonUserCancel: Type.Array(exactly({ coin: CoinName, oid: OrderId })) }),
      exactly({ twapHistory: userTwapHistory.answers }),
      exactly({ funding: FlatPayment }),
      exactly({ liquidation: Liquidation }),
    ]),
  },
  weight: LIGHT,
  serve: (parts: PrivateParts) =>
    rowStream(
      {
        name: 'user',
        kinds: ['fills', 'twapFills', 'orders', 'twaps', 'funding', 'ledger'],
        messages: (update, { user, services }) => {
          const fills = toWireFills(rowsOfKind(update, 'fills'), { newestFirst: false, aggregate: false, user });
          const twapSliceFills = rowsOfKind(update, 'twapFills').map(toSliceFill);
          const canceled = ofKind(update.rows, 'orders').filter(({ status }) => isNonUserCancel(status));
          const nonUserCancel = [...ofKind(update.ended, 'orders'), ...canceled].map(({ order: { coin, oid } }) => ({
            coin,
            oid,
          }));
          const twapHistory = rowsOfKind(update, 'twaps').map((row) => toChange(row, user));
          const fundings = rowsOfKind(update, 'funding').map((row) => toFlatPayment(row, services));
          return [
            ...oneOf({ fills }),
            ...oneOf({ twapSliceFills }),
            ...oneOf({ nonUserCancel }),
            ...oneOf({ twapHistory }),
            ...fundings.map((funding) => ({ funding })),
            ...rowsOfKind(update, 'ledger').flatMap((row) => toLiquidation(row, user)),
          ];
        },
      },
      parts,
    ),
});

/** A message of a list, unless it is empty. */
const oneOf = (message: Readonly<Record<string, readonly unknown[]>>): object[] =>
  Object.values(message).some((list) => list.length > 0) ? [message] : [];

/** Ended by the exchange, not by the client and not by a fill. */
const isNonUserCancel = (status: OrderStatus): boolean => status.endsWith('Canceled') || status === 'scheduledCancel';

function toLiquidation(row: LedgerRow, user: string): object[] {
  if (row.kind !== 'liquidation') return [];
  return [
    {
      liquidation: {
        lid: row.lid,
        liquidator: ZERO_ADDRESS,
        liquidated_user: user,
        liquidated_ntl_pos: wireNumber(row.notional),
        liquidated_account_value: wireNumber(row.accountValue),
      },
    },
  ];
}
