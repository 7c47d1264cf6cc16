// Money that is no trade. `userFundings` has the newest funding payments at once, ascending, then each as it is paid, without the `delta`
// around it. `userNonFundingLedgerUpdates` has the newest deposits, withdrawals and liquidations, then each as it happens.
import { Type } from '@sinclair/typebox';
import type { FundingRow } from '../../../actors/core/messages/historyRows.ts';
import type { Services } from '../../accounts/services.ts';
import { Address, exactly } from '../../contract/answerValues.ts';
import { HEAVIEST } from '../../domain/requestPrice.ts';
import { latestAscending } from '../../info/accountRows.ts';
import {
  FlatPayment,
  toWirePayment,
  toWireUpdate,
  userNonFundingLedgerUpdates as userNonFundingLedgerUpdatesInfo,
} from '../../info/ledger.ts';
import { rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader, addressOf } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';

/** As many as `userFunding` answers. */
const SNAPSHOT_ROWS = 500;

const readUserFundings = accountReader('userFundings', {});

export const userFundings = channel(readUserFundings, {
  about: 'Funding payments: the newest at once, oldest first, then each as it is settled.',
  messages: {
    userFundings: exactly({ isSnapshot: Type.Optional(Type.Literal(true)), user: Address, fundings: Type.Array(FlatPayment) }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userFundings',
        kinds: ['funding'],
        read: readUserFundings,
        snapshot: async (subscription, call, services) => {
          const rows = await latestAscending(call, services, { kind: 'funding', limit: SNAPSHOT_ROWS });
          const fundings = rows.map((row) => toFlatPayment(row, services));
          return { isSnapshot: true, user: addressOf(subscription, call), fundings };
        },
        messages: (update, { user, services }) => {
          const fundings = rowsOfKind(update, 'funding').map((row) => toFlatPayment(row, services));
          return fundings.length === 0 ? [] : [{ user, fundings }];
        },
      },
      parts,
    ),
});

export function toFlatPayment(row: FundingRow, { config }: Services) {
  const { time, delta } = toWirePayment(row, { settlesHourly: config.FUNDING_SETTLE_HOURS === 1 });
  const { type: _, ...payment } = delta;
  return { time, ...payment };
}

/** As many as the info type answers. */
const UPDATES_IN_SNAPSHOT = 500;

const readUserNonFundingLedgerUpdates = accountReader('userNonFundingLedgerUpdates', {});

export const userNonFundingLedgerUpdates = channel(readUserNonFundingLedgerUpdates, {
  about: 'Deposits, withdrawals and liquidations: the newest at once, oldest first, then each as it comes.',
  messages: {
    userNonFundingLedgerUpdates: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      nonFundingLedgerUpdates: userNonFundingLedgerUpdatesInfo.answers,
    }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userNonFundingLedgerUpdates',
        kinds: ['ledger'],
        read: readUserNonFundingLedgerUpdates,
        snapshot: async (subscription, call, services) => {
          const rows = await latestAscending(call, services, { kind: 'ledger', limit: UPDATES_IN_SNAPSHOT });
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
