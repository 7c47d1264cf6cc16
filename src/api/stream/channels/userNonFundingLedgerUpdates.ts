// `userNonFundingLedgerUpdates`: the newest deposits, withdrawals and liquidations at once, ascending, then each as it comes.
import { latestRows } from '../../info/accountRows.ts';
import { toWireUpdate } from '../../info/userNonFundingLedgerUpdates.ts';
import type { Channel } from '../channel.ts';
import { accountReader, addressOf } from '../private/accountSubscription.ts';
import { rowsOfKind } from '../private/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../private/rowStream.ts';

/** As many as the info type answers. */
const SNAPSHOT_ROWS = 500;

export const userNonFundingLedgerUpdates = (parts: PrivateParts): Channel =>
  rowStream(
    {
      type: 'userNonFundingLedgerUpdates',
      kinds: ['ledger'],
      read: accountReader('userNonFundingLedgerUpdates', {}),
      snapshot: async (subscription, call, services) => {
        const rows = await latestRows(call, services, { kind: 'ledger', limit: SNAPSHOT_ROWS });
        const updates = rows.toReversed().map(toWireUpdate);
        return { isSnapshot: true, user: addressOf(subscription, call), nonFundingLedgerUpdates: updates };
      },
      messages: (update, { user }) => {
        const updates = rowsOfKind(update, 'ledger').map(toWireUpdate);
        return updates.length === 0 ? [] : [{ user, nonFundingLedgerUpdates: updates }];
      },
    },
    parts,
  );
