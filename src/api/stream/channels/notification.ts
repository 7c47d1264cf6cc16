// `notification`: one line of text for a person about what the exchange did without being asked: a resting order filled, a
// position liquidated. `orderUpdates` and `userFills` say the same to programs.
import type { FillRow, LedgerRow } from '../../../actors/domain/history.ts';
import type { Channel } from '../channel.ts';
import { accountReader } from '../private/accountSubscription.ts';
import { rowsOfKind } from '../private/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../private/rowStream.ts';

export const notification = (parts: PrivateParts): Channel =>
  rowStream(
    {
      type: 'notification',
      kinds: ['fills', 'ledger'],
      read: accountReader('notification', {}),
      messages: (update) =>
        [...rowsOfKind(update, 'fills').flatMap(ofFill), ...rowsOfKind(update, 'ledger').flatMap(ofLedger)].map((text) => ({
          notification: text,
        })),
    },
    parts,
  );

/** Whoever sent a taking order has its answer. */
function ofFill({ liquidity, side, size, coin, price }: FillRow): string[] {
  return liquidity === 'maker'
    ? [`Resting order filled: ${side === 'buy' ? 'Bought' : 'Sold'} ${size} ${coin} at $${price}`]
    : [];
}

function ofLedger(row: LedgerRow): string[] {
  if (row.kind !== 'liquidation') return [];
  const positions = row.positions.map(({ coin, signedSize }) => `${signedSize} ${coin}`).join(', ');
  return [`Liquidation (${row.marginMode}): ${positions}; the account value was $${row.accountValue}`];
}
