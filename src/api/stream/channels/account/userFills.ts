// `userFills`: the newest fills at once, then each as it happens; with `aggregateByTime` the parts of one taking order as one.
import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { absentOr } from '../../../http/requestReader.ts';
import { userFills as info, toWireFills } from '../../../info/history/fills.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { rowsOfKind } from '../../account/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import type { Channel } from '../../channel/channel.ts';
import { channelContract } from '../../channel/channelContract.ts';

const AggregateField = absentOr(Type.Boolean({ expected: 'a boolean' }));
const read = accountReader('userFills', { aggregateByTime: AggregateField }, { aggregateByTime: false });

export const userFillsContract = channelContract(read, {
  about: 'Executions: the newest at once, newest first, then each as it happens.',
  messages: { userFills: exactly({ isSnapshot: Type.Optional(Type.Literal(true)), user: Address, fills: info.answers }) },
});

export const userFills = (parts: PrivateParts): Channel =>
  rowStream(
    {
      type: 'userFills',
      kinds: ['fills'],
      read,
      snapshot: async (subscription, call, services) => ({
        isSnapshot: true,
        user: addressOf(subscription, call),
        fills: await info.answer(subscription, call, services),
      }),
      messages: (update, { subscription: { aggregateByTime }, user }) => {
        const aggregate = aggregateByTime === true;
        const fills = toWireFills(rowsOfKind(update, 'fills'), { newestFirst: false, aggregate, user });
        return fills.length === 0 ? [] : [{ user, fills }];
      },
    },
    parts,
  );
