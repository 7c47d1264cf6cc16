// `userEvents`, whose messages come on channel `user`: fills, funding, liquidations, cancels that nobody asked for, TWAPs.
// Each message is one of these; several of one entry come in this order.
import type { LedgerRow, OrderStatus } from '../../../actors/domain/history.ts';
import { toWireFills } from '../../info/fills.ts';
import { toChange, toSliceFill } from '../../info/twaps.ts';
import { wireNumber, ZERO_ADDRESS } from '../../wireText.ts';
import type { Channel } from '../channel.ts';
import { accountReader } from '../private/accountSubscription.ts';
import { rowsOfKind } from '../private/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../private/rowStream.ts';
import { toFlatPayment } from './userFundings.ts';

export const userEvents = (parts: PrivateParts): Channel =>
  rowStream(
    {
      type: 'userEvents',
      name: 'user',
      kinds: ['fills', 'twapFills', 'orders', 'twaps', 'funding', 'ledger'],
      read: accountReader('userEvents', {}),
      messages: (update, { user, services }) => {
        const fills = toWireFills(rowsOfKind(update, 'fills'), { newestFirst: false, aggregate: false, user });
        const twapSliceFills = rowsOfKind(update, 'twapFills').map(toSliceFill);
        const nonUserCancel = rowsOfKind(update, 'orders')
          .filter(({ status }) => isNonUserCancel(status))
          .map(({ order: { coin, oid } }) => ({ coin, oid }));
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
  );

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
