// `userTwapSliceFills`: the newest fills of TWAP slices at once, then each as it happens.
import { userTwapSliceFills as info, toSliceFill } from '../../info/twaps.ts';
import type { Channel } from '../channel.ts';
import { accountReader, addressOf } from '../private/accountSubscription.ts';
import { rowsOfKind } from '../private/accountUpdate.ts';
import { type PrivateParts, rowStream } from '../private/rowStream.ts';

export const userTwapSliceFills = (parts: PrivateParts): Channel =>
  rowStream(
    {
      type: 'userTwapSliceFills',
      kinds: ['twapFills'],
      read: accountReader('userTwapSliceFills', {}),
      snapshot: async (subscription, call, services) => ({
        isSnapshot: true,
        user: addressOf(subscription, call),
        twapSliceFills: await info.answer(subscription, call, services),
      }),
      messages: (update, { user }) => {
        const twapSliceFills = rowsOfKind(update, 'twapFills').map(toSliceFill);
        return twapSliceFills.length === 0 ? [] : [{ user, twapSliceFills }];
      },
    },
    parts,
  );
