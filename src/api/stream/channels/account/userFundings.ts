// `userFundings`: the newest funding payments at once, ascending, then each as it is paid, without the `delta` around
// it.

import { Type } from '@sinclair/typebox';
import type { FundingRow } from '../../../../actors/core/messages/historyRows.ts';
import type { Services } from '../../../accounts/services.ts';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { HEAVIEST } from '../../../domain/requestPrice.ts';
import { latestAscending } from '../../../info/history/accountRows.ts';
import { FlatPayment, toWirePayment } from '../../../info/history/userFunding.ts';
import { rowsOfKind } from '../../account/accountFeeds.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import { channel } from '../../channel/channelEntry.ts';

/** As many as `userFunding` answers. */
const SNAPSHOT_ROWS = 500;

const read = accountReader('userFundings', {});

export const userFundings = channel(read, {
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
        read,
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
