// `userTwapHistory`: the newest changes of TWAPs at once, oldest first, then each as it happens.

import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { HEAVIEST } from '../../../domain/requestPrice.ts';
import { latestAscending } from '../../../info/history/accountRows.ts';
import { userTwapHistory as info, TWAP_ROWS_MAX, toChange } from '../../../info/history/twaps.ts';
import { rowsOfKind } from '../../account/accountFeeds.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import { channel } from '../../channel/channelEntry.ts';

const read = accountReader('userTwapHistory', {});

export const userTwapHistory = channel(read, {
  about: 'Changes of TWAPs: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: { userTwapHistory: exactly({ isSnapshot: Type.Optional(Type.Literal(true)), user: Address, history: info.answers }) },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userTwapHistory',
        kinds: ['twaps'],
        read,
        snapshot: async (subscription, call, services) => {
          const user = addressOf(subscription, call);
          const rows = await latestAscending(call, services, { kind: 'twaps', limit: TWAP_ROWS_MAX });
          return { isSnapshot: true, user, history: rows.map((row) => toChange(row, user)) };
        },
        messages: (update, { user }) => {
          const history = rowsOfKind(update, 'twaps').map((row) => toChange(row, user));
          return history.length === 0 ? [] : [{ user, history }];
        },
      },
      parts,
    ),
});
