// `candle`: the candle in progress of one coin and length, whenever it changes. The last state of each candle is
// never lost.
import { candleStart } from '../../../../market/domain/candleInterval.ts';
import type { VenueCandle } from '../../../../market/domain/feed.ts';
import { CoinText } from '../../../http/requestReader.ts';
import { Candle, IntervalText, readCandles } from '../../../info/market/candles.ts';
import { channel } from '../../channel/channelEntry.ts';
import { coinChannel } from '../../channel/coinChannel.ts';
import type { MarketParts } from '../../channel/marketStream.ts';
import { paidBySubscribers, poll } from '../../channel/polledSource.ts';
import type { Broadcast, Source } from '../../channel/sharedChannel.ts';
import { toMessage } from '../../message.ts';
import { subscriptionReader } from '../../subscriptionReader.ts';
import { CandleSource, type CandleSubscription } from './candleSource.ts';

const read = subscriptionReader('candle', { coin: CoinText, interval: IntervalText });

export const candle = channel(read, {
  about: 'The candle in progress of one coin and length, whenever it changes. Its last state is never lost.',
  messages: { candle: Candle },
  example: { coin: 'BTC', interval: '1m' },
  // Closed candles are kept for all, and the one in progress comes from the feed.
  weight: 0,
  create: (parts: MarketParts) =>
    coinChannel(
      {
        type: 'candle',
        read: (sent) => read(sent) as CandleSubscription & { readonly type: 'candle' },
        perp: (subscription, broadcast) => CandleSource.open(subscription, parts, broadcast),
        spot: (subscription, broadcast) => askedCandles(subscription, parts, broadcast),
      },
      parts.services,
    ),
});

/** Candles of spot pairs, which are not in the feed. */
async function askedCandles(
  { coin, interval }: CandleSubscription,
  { services }: MarketParts,
  broadcast: Broadcast,
): Promise<Source> {
  /** The newest two. */
  const paying = paidBySubscribers(services, broadcast);
  const ask = async (): Promise<readonly VenueCandle[]> => {
    const startTime = candleStart(interval, candleStart(interval, services.now()) - 1);
    const rows = await readCandles({ coin, interval, startTime }, paying);
    return rows.slice(-2);
  };
  let last = (await ask()).at(-1);
  const end = poll({ services }, async () => {
    for (const row of await ask()) {
      if (last !== undefined && (row.t < last.t || (row.t === last.t && row.n === last.n && row.c === last.c))) continue;
      if (row.t !== last?.t) broadcast.seal();
      last = row;
      broadcast.latest(toMessage('candle', row));
    }
  });
  return { snapshot: () => (last === undefined ? [] : [toMessage('candle', last)]), close: end };
}
