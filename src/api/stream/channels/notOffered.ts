// Channels of the venue that have no meaning here. They are refused by name, so that a client learns that the channel
// is known and not offered, and does not take its frame for malformed.
import { RequestError } from '../../../shared/errors.ts';
import type { PricedChannel } from '../channel/channel.ts';

export const notOfferedTypes = ['fastAssetCtxs', 'outcomeMetaUpdates'] as const;

export const notOffered: readonly PricedChannel[] = notOfferedTypes.map((type) => {
  const refuse = (): never => {
    throw new RequestError(400, 'not_offered', `The channel ${type} is not offered here.`);
  };
  return { type, weight: 0, read: refuse, open: refuse };
});
