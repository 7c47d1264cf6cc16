// What a subscription costs: the weight of the `info` question whose answer it begins with. It is paid each time, so
// that leaving and subscribing again is no cheaper than asking again. What comes afterwards is bounded elsewhere: states
// by their refresh intervals, events by what the account does.
import { HEAVIEST, LIGHT, ROWS_PER_WEIGHT } from './requestPrice.ts';

/** Channels that begin with what this node has in memory, or with a short question to the account. */
const LIGHT_CHANNELS: ReadonlySet<string> = new Set([
  ...['allMids', 'l2Book', 'bbo', 'trades', 'activeAssetCtx'],
  ...['orderUpdates', 'userEvents', 'notification'],
  ...['clearinghouseState', 'allDexsClearinghouseState', 'spotState', 'webData3', 'accountStart'],
]);

/** @param subscription as its channel has read it */
export function weightOfSubscription(subscription: { readonly type: string }): number {
  const { type, fromSeq } = subscription as { type: string; fromSeq?: number | null };
  // Closed candles are kept for all, and the one in progress comes from the feed.
  if (type === 'candle') return 0;
  return fromSeq == null && LIGHT_CHANNELS.has(type) ? LIGHT : HEAVIEST;
}

/** The further weight of rows of the past. */
export const weightOfPast = (rows: number): number => Math.ceil(rows / ROWS_PER_WEIGHT);
