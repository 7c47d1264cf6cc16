// TWAPs: `userTwapHistory` has the newest changes at once, oldest first, then each as it happens; `userTwapSliceFills` the same of the fills
// of slices.
import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../contract/answerValues.ts';
import { HEAVIEST } from '../../domain/requestPrice.ts';
import { latestAscending } from '../../info/accountRows.ts';
import {
  TWAP_ROWS_MAX,
  toChange,
  toSliceFill,
  userTwapHistory as userTwapHistoryInfo,
  userTwapSliceFills as userTwapSliceFillsInfo,
} from '../../info/twaps.ts';
import { rowsOfKind } from '../account/accountFeeds.ts';
import { accountReader, addressOf } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel } from '../channel/channel.ts';

const readUserTwapHistory = accountReader('userTwapHistory', {});

export const userTwapHistory = channel(readUserTwapHistory, {
  about: 'Changes of TWAPs: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: {
    userTwapHistory: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      history: userTwapHistoryInfo.answers,
    }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userTwapHistory',
        kinds: ['twaps'],
        read: readUserTwapHistory,
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

const readUserTwapSliceFills = accountReader('userTwapSliceFills', {});

export const userTwapSliceFills = channel(readUserTwapSliceFills, {
  about: 'Executions of TWAP slices: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: {
    userTwapSliceFills: exactly({
      isSnapshot: Type.Optional(Type.Literal(true)),
      user: Address,
      twapSliceFills: userTwapSliceFillsInfo.answers,
    }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userTwapSliceFills',
        kinds: ['twapFills'],
        read: readUserTwapSliceFills,
        snapshot: async (subscription, call, services) => ({
          isSnapshot: true,
          user: addressOf(subscription, call),
          twapSliceFills: (await latestAscending(call, services, { kind: 'twapFills', limit: TWAP_ROWS_MAX })).map(toSliceFill),
        }),
        messages: (update, { user }) => {
          const twapSliceFills = rowsOfKind(update, 'twapFills').map(toSliceFill);
          return twapSliceFills.length === 0 ? [] : [{ user, twapSliceFills }];
        },
      },
      parts,
    ),
});
