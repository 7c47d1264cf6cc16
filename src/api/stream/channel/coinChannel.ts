// A public channel of one coin. A perpetual's data comes from this node's view of the market; the venue is asked for
// a spot pair's.
import type { Services } from '../../accounts/services.ts';
import { requireCoin } from '../../info/market/coins.ts';
import type { Channel, Subscription } from './channel.ts';
import { type Broadcast, type Source, sharedChannel } from './sharedChannel.ts';
import { spotSource } from './spotSource.ts';

export interface CoinChannel<S extends Subscription & { readonly coin: string }> {
  readonly type: S['type'];
  /** @throws {RequestError} when a field other than the coin is wrong */
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
      if (requireCoin(coin, services) === 'passed') return spotSource(coin, services, () => spot(subscription, broadcast));
      return perp(subscription, broadcast);
    },
  });
