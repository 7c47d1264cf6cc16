// `userEvents`, with its messages on channel `user`: fills, funding, liquidations, cancels by the exchange, TWAPs.
// Each message is one of these; several of one entry come in this order.

import { Type } from '@sinclair/typebox';
import type { LedgerRow } from '../../../actors/core/messages/historyRows.ts';
import type { OrderStatus } from '../../../actors/core/messages/order.ts';
import { Address, CoinName, Count, exactly, OrderId, WireDecimal } from '../../contract/answerValues.ts';
import { LIGHT } from '../../domain/requestPrice.ts';
import { wireNumber, ZERO_ADDRESS } from '../../domain/wireText.ts';
import { toWireFills, userFills } from '../../info/fills.ts';
import { FlatPayment } from '../../info/ledger.ts';
import { toChange, toSliceFill, userTwapHistory, userTwapSliceFills } from '../../info/twaps.ts';
import { ofKind, rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';
import { toFlatPayment } from './rowLists.ts';

const Liquidation = exactly({
  lid: Count,
  liquidator: Address,
  liquidated_user: Address,
  liquidated_ntl_pos: WireDecimal,
  liquidated_account_value: WireDecimal,
});

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
