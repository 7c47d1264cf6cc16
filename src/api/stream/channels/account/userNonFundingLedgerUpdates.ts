// `userNonFundingLedgerUpdates`: the newest deposits, withdrawals and liquidations at once, ascending, then each as
// it happens.

import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { HEAVIEST } from '../../../domain/requestPrice.ts';
import { latestAscending } from '../../../info/history/accountRows.ts';
import { userNonFundingLedgerUpdates as info, toWireUpdate } from '../../../info/history/userNonFundingLedgerUpdates.ts';
import { rowsOfKind } from '../../account/accountFeeds.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import { channel } from '../../channel/channelEntry.ts';

/** As many as the info type answers. */
const SNAPSHOT_ROWS = 500;

const read = accountReader('userNonFundingLedgerUpdates', {});

export const userNonFundingLedgerUpdates = channel(read, {
  about: 'Deposits, withdrawals and liquidations: the newest at once, oldest first, then each as it comes.',
  messages: {
    userNonFundingLedgerUpdates: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      nonFundingLedgerUpdates: info.answers,
    }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userNonFundingLedgerUpdates',
        kinds: ['ledger'],
        read,
        snapshot: async (subscription, call, services) => {
          const rows = await latestAscending(call, services, { kind: 'ledger', limit: SNAPSHOT_ROWS });
          const updates = rows.map((row) => toWireUpdate(row, call.caller.accountId));
          return { isSnapshot: true, user: addressOf(subscription, call), nonFundingLedgerUpdates: updates };
        },
        messages: (update, { user, accountId }) => {
          const updates = rowsOfKind(update, 'ledger').map((row) => toWireUpdate(row, accountId));
          return updates.length === 0 ? [] : [{ user, nonFundingLedgerUpdates: updates }];
        },
      },
      parts,
    ),
});
