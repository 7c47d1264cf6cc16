// `userTwapSliceFills`: the newest fills of TWAP slices at once, oldest first, then each as it happens.

import { Type } from '@sinclair/typebox';
import { Address, exactly } from '../../../contract/answerValues.ts';
import { HEAVIEST } from '../../../domain/requestPrice.ts';
import { latestAscending } from '../../../info/history/accountRows.ts';
import { userTwapSliceFills as info, TWAP_ROWS_MAX, toSliceFill } from '../../../info/history/twaps.ts';
import { rowsOfKind } from '../../account/accountFeeds.ts';
import { accountReader, addressOf } from '../../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import { channel } from '../../channel/channelEntry.ts';

const read = accountReader('userTwapSliceFills', {});

export const userTwapSliceFills = channel(read, {
  about: 'Executions of TWAP slices: the newest 2,000 at once, oldest first, then each as it happens.',
  messages: {
    userTwapSliceFills: exactly({ isSnapshot: Type.Optional(Type.Literal(true)), user: Address, twapSliceFills: info.answers }),
  },
  weight: HEAVIEST,
  create: (parts: PrivateParts) =>
    rowStream(
      {
        type: 'userTwapSliceFills',
        kinds: ['twapFills'],
        read,
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
