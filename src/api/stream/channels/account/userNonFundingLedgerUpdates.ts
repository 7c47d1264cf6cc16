// `userNonFundingLedgerUpdates`: the newest deposits, withdrawals and liquidations at once, ascending, then each as
// it happens.

import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { latestAscending } from '../../../info/history/accountRows.ts';
import { userNonFundingLedgerUpdates as info, toWireUpdate } from '../../../info/history/userNonFundingLedgerUpdates.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { rowsOfKind } from '../../account/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import type { Channel } from '../../channel/channel.ts';
import { channelContract } from '../../channel/channelContract.ts';

/** As many as the info type answers. */
const SNAPSHOT_ROWS = 500;

const read = accountReader('userNonFundingLedgerUpdates', {});

export const userNonFundingLedgerUpdatesContract = channelContract(read, {
  about: 'Deposits, withdrawals and liquidations: the newest at once, oldest first, then each as it comes.',
  messages: {
    userNonFundingLedgerUpdates: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      nonFundingLedgerUpdates: info.answers,
    }),
  },
});

export const userNonFundingLedgerUpdates = (parts: PrivateParts): Channel =>
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
  );
