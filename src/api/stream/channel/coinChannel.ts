// A public channel of one coin: a perpetual's comes from this node's view of the market, a spot pair's is asked of the venue.
import type { Services } from '../../accounts/services.ts';
import { requireCoin } from '../../info/market/coins.ts';
import type { Channel, Subscription } from './channel.ts';
import { type Broadcast, type Source, sharedChannel } from './sharedChannel.ts';
import { spotSource } from './spotSource.ts';

export interface CoinChannel<S extends Subscription & { readonly coin: string }> {
  readonly type: S['type'];
  /** @throws {RequestError} when something but the coin is wrong */
  readonly read: (sent: object) => S;
  readonly perp: (subscription: S, broadcast: Broadcast) => Source | Promise<Source>;
  readonly spot: (subscription: S, broadcast: Broadcast) => Promise<Source>;
}

export const coinChannel = <S extends Subscription & { readonly coin: string }>(
  { type, read, perp, spot }: CoinChannel<S>,
  services: Services,
): Channel<S> =>
  sharedChannel({
    type,
    read: (sent) => {
      const subscription = read(sent);
      requireCoin(subscription.coin, services);
      return subscription;
    },
    open: (subscription, broadcast) => {
      const { coin } = subscription;
      if (requireCoin(coin, services) === 'spot') return spotSource(coin, services, () => spot(subscription, broadcast));
      return perp(subscription, broadcast);
    },
  });
