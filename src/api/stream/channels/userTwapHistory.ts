// `userTwapHistory`: the newest changes of TWAPs at once, then each as it happens.
import { userTwapHistory as info, toChange } from '../../info/twaps.ts';
import type { Channel } from '../channel.ts';
import { accountReader, addressOf } from '../private/accountSubscription.ts';
import { rowsOfKind } from '../private/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../private/rowStream.ts';

export const userTwapHistory = (parts: PrivateParts): Channel =>
  rowStream(
    {
      type: 'userTwapHistory',
      kinds: ['twaps'],
      read: accountReader('userTwapHistory', {}),
      snapshot: async (subscription, call, services) => ({
        isSnapshot: true,
        user: addressOf(subscription, call),
        history: await info.answer(subscription, call, services),
      }),
      messages: (update, { user }) => {
        const history = rowsOfKind(update, 'twaps').map((row) => toChange(row, user));
        return history.length === 0 ? [] : [{ user, history }];
      },
    },
    parts,
  );
