// `trades`: the latest public trades of one coin, then each as it happens; oldest first, none lost.

import { LIGHT } from '../../domain/requestPrice.ts';
import { CoinText } from '../../http/requestReader.ts';
import { askSpotTrades, recentTrades as info, toWireTrade } from '../../info/market.ts';
import { channel, subscriptionReader } from '../channel/channel.ts';
import type { MarketParts } from '../channel/marketStream.ts';
import { toMessage } from '../channel/message.ts';
import type { Broadcast, Source } from '../channel/sharedChannel.ts';
import { coinChannel, paidBySubscribers, poll } from '../channel/sources.ts';

export const trades = channel(subscriptionReader('trades', { coin: CoinText }), {
  about: 'Public trades of one coin, oldest first: the latest at first, then as they happen. None is lost.',
  messages: { trades: info.answers },
  example: { coin: 'BTC' },
  weight: LIGHT,
  serve: (parts: MarketParts) =>
    coinChannel(
      {
        perp: ({ coin }, broadcast) => perpTrades(coin, parts, broadcast),
        spot: ({ coin }, broadcast) => spotTrades(coin, parts, broadcast),
      },
      parts.services,
    ),
});

function perpTrades(coin: string, { services, market }: MarketParts, broadcast: Broadcast): Source {
  const end = market.listen(`trades:${coin}`, (change) => {
    if (change?.type !== 'trades') return;
    broadcast.send(
      toMessage(
        'trades',
        change.trades.map((trade) => toWireTrade(coin, trade)),
      ),
    );
  });
  return {
    snapshot: () => {
      const latest = services.market.recentTrades(coin).toReversed();
      // A client finds its subscription by the first trade.
      return latest.length === 0
        ? []
        : [
            toMessage(
              'trades',
              latest.map((trade) => toWireTrade(coin, trade)),
            ),
          ];
    },
    close: end,
  };
}

type WireTrade = ReturnType<typeof toWireTrade>;

async function spotTrades(coin: string, { services }: MarketParts, broadcast: Broadcast): Promise<Source> {
  /** Newest first, as the venue answers. */
  let known: readonly WireTrade[] = [];
  /** @returns those that are new, oldest first */
  const paying = paidBySubscribers(services, broadcast);
  const ask = async (): Promise<WireTrade[]> => {
    const latest = ((await askSpotTrades(coin, paying)) ?? []) as readonly WireTrade[];
    const tids = new Set(known.map(({ tid }) => tid));
    known = latest;
    return latest.filter(({ tid }) => !tids.has(tid)).toReversed();
  };
  await ask();
  const end = poll({ services }, async () => {
    const fresh = await ask();
    if (fresh.length > 0) broadcast.send(toMessage('trades', fresh));
  });
  return { snapshot: () => (known.length === 0 ? [] : [toMessage('trades', known.toReversed())]), close: end };
}
