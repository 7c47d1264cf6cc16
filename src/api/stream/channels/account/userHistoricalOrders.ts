// `userHistoricalOrders`: the newest of the log of status changes at once, oldest first, then each change as it happens.

import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { HEAVIEST } from '../../../domain/requestPrice.ts';
import { latestAscending } from '../../../info/history/accountRows.ts';
import { CHANGES_MAX, historicalOrders } from '../../../info/history/historicalOrders.ts';
import { toStatusChange } from '../../../info/wireOrders.ts';
import { rowsOfKind } from '../../account/accountFeeds.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import { channel } from '../../channel/channelEntry.ts';

const read = accountReader('userHistoricalOrders', {});

export const userHistoricalOrders = channel(read, {
  about: 'Status changes of orders: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: {
    userHistoricalOrders: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      orderHistory: historicalOrders.answers,
    }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userHistoricalOrders',
        kinds: ['orders'],
        read,
        snapshot: async (subscription, call, services) => ({
          isSnapshot: true,
          user: addressOf(subscription, call),
          orderHistory: (await latestAscending(call, services, { kind: 'orders', limit: CHANGES_MAX })).map(toStatusChange),
        }),
        messages: (update, { user }) => {
          const orderHistory = rowsOfKind(update, 'orders').map(toStatusChange);
          return orderHistory.length === 0 ? [] : [{ user, orderHistory }];
        },
      },
      parts,
    ),
});
