// `userFills`: the newest fills at once, oldest first, then each as it happens; with `aggregateByTime` the parts of one taking order as one.

import { Type } from '@sinclair/typebox';
import type { FillRow } from '../../../actors/core/messages/historyRows.ts';
import { Address, exactly } from '../../contract/answerValues.ts';
import { HEAVIEST } from '../../domain/requestPrice.ts';
import { absentOr } from '../../http/requestReader.ts';
import { latestAscending } from '../../info/accountRows.ts';
import { FILLS_MAX, userFills as info, toWireFills } from '../../info/fills.ts';
import { rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader, addressOf } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';

const AggregateField = absentOr(Type.Boolean({ expected: 'a boolean' }));
const read = accountReader('userFills', { aggregateByTime: AggregateField }, { aggregateByTime: false });

export const userFills = channel(read, {
  about: 'Executions: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: { userFills: exactly({ isSnapshot: Type.Optional(Type.Literal(true)), user: Address, fills: info.answers }) },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userFills',
        kinds: ['fills'],
        read,
        snapshot: async (subscription, call, services) => {
          const user = addressOf(subscription, call);
          const rows = await latestAscending(call, services, { kind: 'fills', limit: FILLS_MAX });
          return { isSnapshot: true, user, fills: toFills(rows, subscription, user) };
        },
        messages: (update, { subscription, user }) => {
          const fills = toFills(rowsOfKind(update, 'fills'), subscription, user);
          return fills.length === 0 ? [] : [{ user, fills }];
        },
      },
      parts,
    ),
});

/** @param rows oldest first */
const toFills = (rows: readonly FillRow[], { aggregateByTime }: ReturnType<typeof read>, user: string) =>
  toWireFills(rows, { newestFirst: false, aggregate: aggregateByTime === true, user });
